import { expect, it } from "vitest";
import { whyNot } from "../../src/cli/commands/tokens/why.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const expiring = (at: string): Parameters<typeof whyNot>[2] => ({
  header: {},
  claims: { exp: Date.parse(at) / 1000 },
});

it("The error for an expired token says when it expired", () => {
  expect(whyNot("token_expired", "", expiring("2026-06-01T11:57:00Z"), NOW)).toBe(
    "It expired 3 minutes ago (2026-06-01T11:57:00Z).",
  );
});

it("The error for a token that expired by the service's clock only says that this clock is ahead", () => {
  expect(whyNot("token_expired", "", expiring("2026-06-01T12:48:00Z"), NOW)).toBe(
    "It expires in 48 minutes (2026-06-01T12:48:00Z) here, but the service's clock is ahead.",
  );
});

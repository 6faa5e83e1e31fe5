import { expect, it } from "vitest";
import { whyNot } from "../../src/cli/commands/tokens/why.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const expiring = (at: string): Parameters<typeof whyNot>[2] => ({
  header: {},
  claims: { exp: Date.parse(at) / 1000 },
});

it("a token that has expired says when", () => {
  expect(whyNot("token_expired", "", expiring("2026-06-01T11:57:00Z"), NOW)).toBe(
    "It expired 3 minutes ago (2026-06-01T11:57:00Z).",
  );
});

it("a token that has expired by the service's clock alone says that the clock is ahead", () => {
  expect(whyNot("token_expired", "", expiring("2026-06-01T12:48:00Z"), NOW)).toBe(
    "It expires in 48 minutes (2026-06-01T12:48:00Z) here, but the service's clock is ahead.",
  );
});

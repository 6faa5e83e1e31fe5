import { describe, expect, it, vi } from "vitest";
import { createSimulator } from "../../src/server/simulator/simulator.ts";
import { chunksOf } from "../../src/http/fetch.ts";
import { setup } from "../_setup.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

const FRONT = "http://localhost:7820";

describe("A simulated provider's answer within the process", () => {
  it.each(PROVIDERS)("of %s is made without creating a Response", async (provider) => {
    const service = await setup();
    const made = vi.spyOn(globalThis.Response.prototype, "body", "get");
    try {
      expect(await service.tokenFor(provider, "mary")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      expect(made).not.toHaveBeenCalled();
    } finally {
      made.mockRestore();
    }
  });

  it("has a status, case-insensitive headers and a body that can be read in both ways", async () => {
    const simulator = createSimulator({
      front: FRONT,
      callbackUrl: (provider) => `${FRONT}/oauth/${provider}/callback`,
      personas: [],
      clients: () => [],
      applications: { at: () => [] },
      keepKey: (make) => make(),
      sealKey: Buffer.alloc(32),
      now: () => new Date(),
    });
    const answer = await simulator.fetch(`${FRONT}/__svc/simulator/github/access_token`, { method: "GET" });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("location")).toBeNull();
    expect(JSON.parse(await answer.text())).toEqual({ message: "Not Found" });
    const chunks: Uint8Array[] = [];
    for await (const chunk of chunksOf(answer.body ?? [])) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(await answer.text());
  });
});

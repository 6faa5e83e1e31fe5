import { describe, expect, it, vi } from "vitest";
import { setup } from "../_setup.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

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
});

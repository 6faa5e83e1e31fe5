import { expect, it, onTestFinished, vi } from "vitest";

it("The fixtures for Vitest say in a browser that they need Node.js, and what to do instead", async () => {
  vi.stubGlobal("process", Object.create(process, { versions: { value: {} } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  // A copy of its own: other files of this worker have loaded the module.
  const copy = "../../src/testing/vitest.ts?in-a-browser";
  await expect(import(copy)).rejects.toThrow(
    "svc-identity/testing/vitest needs Node.js, and this test runs in a browser. Sign in by a command of Vitest's browser mode",
  );
});

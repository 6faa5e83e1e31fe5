import { afterEach, expect, it, vi } from "vitest";
import { connect, startTestService } from "../../src/testing/index.ts";

afterEach(() => void vi.unstubAllGlobals());

it("startTestService and connect reach their service although a test has put another fetch in the global scope", async () => {
  const stub = vi.fn(() => Promise.reject(new Error("the test's own")));
  vi.stubGlobal("fetch", stub);
  const svc = await startTestService();
  try {
    expect(await svc.signIn({ as: "ada" })).toHaveProperty("token");
    expect(await svc.client().users.search("email:ada@acme.test")).toBeDefined();
    const other = await connect({ url: svc.url, controlKey: svc.controlKey, isolate: true });
    expect(await other.signIn({ as: "ada" })).toHaveProperty("token");
    expect((await other.fetch(`${svc.url}/.well-known/openid-configuration`)).status).toBe(200);
    await other.close();
  } finally {
    await svc.close();
  }
  expect(stub).not.toHaveBeenCalled();
});

// Below the faces: the record of a sign-in is read whole.
import { expect, it } from "vitest";
import { createControlClient } from "../../src/control-client/index.ts";
import { server, svc, useDevServer } from "../_dev-server.ts";

useDevServer();

const env = (): Record<string, string> => ({
  SVC_BASE_URL: server.url,
  SVC_SECRET_KEY: server.instances[0]!.secret_key,
});

it("svc doctor checks the key without a request that fails", async () => {
  const { stdout } = await svc("doctor", { env: env() });
  expect(stdout).toContain("accepted (SVC_SECRET_KEY)");
  expect((await svc("logs --failed")).stdout).toBe("");
});

it("svc sign-in --as ends the sign-in of an account that does not exist, and records that reason", async () => {
  const { code, stderr } = await svc("sign-in --as stranger", { env: env() });
  expect([code, stderr]).toEqual([3, expect.stringContaining('has no account "stranger"')]);
  expect((await svc("logs --failed")).stdout).toContain(
    '✗ Bad request: the simulated Google has no account "stranger"\n',
  );
  const control = createControlClient({ url: server.url, controlKey: server.control_key! });
  const flows = await control.request("GET /flows");
  expect(flows.map(({ data: { result, error, reason } }) => ({ result, error, reason }))).toEqual([
    {
      result: "error",
      error: "bad_request",
      reason:
        'The simulated Google has no account "stranger". Use the id, an e-mail address or the login of one that it has as login_hint.',
    },
  ]);
});

import { createServer as createHttps } from "node:https";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { serve } from "../../src/server/index.ts";
import { createContext, type CliOptions, type CliResult } from "../_cli.ts";
import { portOf } from "../_port-of.ts";

const KEY = "sk_faults_0123456789abcdefghijklmnopqrstuvwxyz";

async function run(
  argv: readonly string[],
  env: Record<string, string>,
  options: CliOptions = {},
): Promise<Omit<CliResult, "requests">> {
  const context = createContext({ env: { SVC_SECRET_KEY: KEY, SVC_RETRIES: "0", ...env }, ...options });
  const code = await main(argv, { ...context, fetch: undefined });
  return { code, ...context.written };
}

describe("A failing service is exit code 7 with a message that says what to do,", () => {
  it("for an untrusted certificate", async () => {
    const server = await serve({ port: 0, store: "memory", https: true });
    onTestFinished(() => server.close());
    const { code, stderr } = await run(["users", "list"], { SVC_BASE_URL: `https://localhost:${server.port}` });
    expect([code, stderr]).toEqual([7, expect.stringMatching(/^✗ The certificate of localhost:\d+ is not trusted/)]);
    expect(stderr).toContain("NODE_EXTRA_CA_CERTS=/path/to/ca.pem");
  });

  it("for HTTPS sent to a plain port and the reverse", async () => {
    const plain = await portOf(createServer((_, response) => response.end("{}")));
    const one = await run(["users", "list"], { SVC_BASE_URL: `https://127.0.0.1:${plain}` });
    expect([one.code, one.stderr]).toEqual([7, expect.stringContaining(`\n  Write http://127.0.0.1:${plain}.`)]);
    const secure = await portOf(createHttps({}));
    const other = await run(["users", "list"], { SVC_BASE_URL: `http://127.0.0.1:${secure}` });
    expect([other.code, other.stderr]).toEqual([
      7,
      expect.stringContaining(`If it speaks https, write https://127.0.0.1:${secure}.`),
    ]);
  });

  it.each(["users list", "dev clock", "doctor"])(
    "for a request of %s that times out, with the time that it waited",
    async (command) => {
      const url = `http://127.0.0.1:${await portOf(createServer(() => undefined))}`;
      const target =
        command === "dev clock" ? { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: "ctl_x" } : { SVC_BASE_URL: url };
      const { stdout, stderr } = await run(command.split(" "), { ...target, SVC_TIMEOUT: "0.2" });
      expect(stdout + stderr).toContain("did not answer within 0.2 seconds.");
      expect(stdout + stderr).toContain("--timeout 1s.");
    },
  );

  it("for a response of the control API that does not end", async () => {
    const port = await portOf(createServer((_, response) => response.flushHeaders()));
    const control = { SVC_CONTROL_URL: `http://127.0.0.1:${port}`, SVC_CONTROL_KEY: "ctl_x", SVC_TIMEOUT: "0.2" };
    const { code, stderr } = await run(["dev", "clock"], control);
    expect([code, stderr]).toEqual([7, expect.stringContaining("did not answer within 0.2 seconds.")]);
  });
});

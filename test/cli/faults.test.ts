import { createServer as createHttps } from "node:https";
import { createServer, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo, type Server as NetServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.ts";
import { serve } from "../../src/server/index.ts";
import { createContext, type CliOptions, type CliResult } from "../_cli.ts";

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

async function portOf(server: NetServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function serverOf(listener: RequestListener): Server {
  return createServer(listener);
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
    const plain = await portOf(serverOf((_, response) => response.end("{}")));
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
      const url = `http://127.0.0.1:${await portOf(serverOf(() => undefined))}`;
      const target =
        command === "dev clock" ? { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: "ctl_x" } : { SVC_BASE_URL: url };
      const { stdout, stderr } = await run(command.split(" "), { ...target, SVC_TIMEOUT: "0.2" });
      expect(stdout + stderr).toContain("did not answer within 0.2 seconds.");
      expect(stdout + stderr).toContain("--timeout 1s.");
    },
  );

  it("for a response of the control API that does not end", async () => {
    const port = await portOf(serverOf((_, response) => response.flushHeaders()));
    const control = { SVC_CONTROL_URL: `http://127.0.0.1:${port}`, SVC_CONTROL_KEY: "ctl_x", SVC_TIMEOUT: "0.2" };
    const { code, stderr } = await run(["dev", "clock"], control);
    expect([code, stderr]).toEqual([7, expect.stringContaining("did not answer within 0.2 seconds.")]);
  });
});

describe("An HTTP proxy", () => {
  /** Connects every CONNECT to the service, whatever host it names. */
  async function openProxy(target: number): Promise<{ port: number; connects: string[] }> {
    const connects: string[] = [];
    const proxy = createServer((_, response) => response.writeHead(405).end());
    proxy.on("connect", ({ url }, socket) => {
      connects.push(url!);
      const onward = connect(target, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      onward.on("error", () => socket.destroy());
      socket.on("error", () => onward.destroy());
    });
    return { port: await portOf(proxy), connects };
  }

  it("named by HTTP_PROXY is used, and NO_PROXY is honored", async () => {
    const hosts: string[] = [];
    const service = await portOf(
      serverOf(({ headers }, response) => {
        hosts.push(headers.host!);
        response.end("[]");
      }),
    );
    const { port, connects } = await openProxy(service);
    const env = { HTTP_PROXY: `http://127.0.0.1:${port}`, SVC_BASE_URL: "http://acme.invalid", SVC_INSECURE: "1" };
    expect(await run(["users", "list", "--json"], env)).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
    expect([connects, hosts]).toEqual([["acme.invalid:80"], ["acme.invalid"]]);
    const direct = await run(["users", "list"], { ...env, NO_PROXY: ".invalid" });
    expect([direct.code, direct.stderr]).toEqual([7, expect.stringContaining("DNS cannot find acme.invalid")]);
    expect(connects).toHaveLength(1);
  });
});

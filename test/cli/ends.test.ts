import { createServer as createHttp } from "node:http";
import { createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { run, useProcesses } from "../_bin.ts";
import { KEY } from "../_client.ts";
import { portOf } from "../_port-of.ts";

useProcesses();

/** Accepts connections, never says anything, and never closes one. @returns also those that it still holds */
async function silent(): Promise<{ address: string; held: ReadonlySet<Socket> }> {
  const held = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    held.add(socket);
    socket.on("error", () => {}).on("close", () => held.delete(socket));
    onTestFinished(() => void socket.destroy());
  });
  return { address: `127.0.0.1:${await portOf(server)}`, held };
}

it.each(["http", "https"])(
  "A command ends when its time is over, while its server holds the %s connection",
  async (scheme) => {
    const { address, held } = await silent();
    const env = { SVC_BASE_URL: `${scheme}://${address}`, SVC_SECRET_KEY: KEY };
    const { code, stderr } = await run(["users", "list", "--timeout", "0.5", "--retries", "0"], { env });
    expect([code, stderr]).toEqual([7, expect.stringContaining("did not answer within 0.5 seconds.")]);
    expect(held.size).toBe(1);
  },
);

it("A command ends when its time is over, while a proxy that says nothing holds the connection", async () => {
  const { address, held } = await silent();
  const env = { HTTPS_PROXY: address, SVC_BASE_URL: "https://acme.invalid", SVC_SECRET_KEY: KEY };
  const { code } = await run(["users", "list", "--timeout", "0.5", "--retries", "0"], { env });
  expect([code, held.size]).toEqual([7, 1]);
});

it("A command ends although a body is left unread, long before its time is over", async () => {
  const endless = createHttp((_, response) => {
    response.writeHead(302, { location: "/" });
    const timer = setInterval(() => response.write("x".repeat(100_000)), 1);
    response.on("close", () => clearInterval(timer));
  });
  const env = { SVC_CONTROL_URL: `http://127.0.0.1:${await portOf(endless)}`, SVC_CONTROL_KEY: "ctl_x" };
  const { code, stderr } = await run(["dev", "clock", "--timeout", "3600"], { env });
  expect([code, stderr]).toEqual([7, expect.stringContaining("redirected")]);
});

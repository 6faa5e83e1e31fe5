import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { run, useProcesses } from "../_bin.ts";
import { KEY } from "../_client.ts";

useProcesses();

async function addressOf(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Accepts connections, and never says anything. */
async function silent(): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
  });
  return addressOf(server);
}

it.each(["http", "https"])(
  "A command ends when its time is over, even if an %s connection is still being made",
  async (scheme) => {
    const env = { SVC_BASE_URL: `${scheme}://${await silent()}`, SVC_SECRET_KEY: KEY };
    const started = performance.now();
    const { code, stderr } = await run(["users", "list", "--timeout", "0.5", "--retries", "0"], { env });
    expect([code, stderr]).toEqual([7, expect.stringContaining("did not answer within 0.5 seconds.")]);
    // undici gives up a connection after ten seconds.
    expect(performance.now() - started).toBeLessThan(8_000);
  },
);

it("A command ends when its time is over, even if its proxy says nothing", async () => {
  const env = { HTTPS_PROXY: await silent(), SVC_BASE_URL: "https://acme.invalid", SVC_SECRET_KEY: KEY };
  const started = performance.now();
  const { code } = await run(["users", "list", "--timeout", "0.5", "--retries", "0"], { env });
  expect([code, performance.now() - started < 8_000]).toEqual([7, true]);
});

it("A command ends although a body is left unread, long before its time is over", async () => {
  const endless = createHttp((_, response) => {
    response.writeHead(302, { location: "/" });
    const timer = setInterval(() => response.write("x".repeat(100_000)), 1);
    response.on("close", () => clearInterval(timer));
  });
  const env = { SVC_CONTROL_URL: `http://${await addressOf(endless)}`, SVC_CONTROL_KEY: "ctl_x" };
  const { code, stderr } = await run(["dev", "clock", "--timeout", "3600"], { env });
  expect([code, stderr]).toEqual([7, expect.stringContaining("redirected")]);
});

import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { startSvc } from "../_attacks.ts";
import { serve, until, type Server } from "./_file-server.ts";
import { directory } from "./_processes.ts";
import { runningIn } from "../_server-file.ts";

const QUERY = new URLSearchParams({ provider: "google", redirect_uri: "http://localhost:3000/callback" });

/** Starts a sign-in. A client has one connection: the server can accept no other while its descriptors are used up. */
async function begin(client: Client): Promise<number> {
  const { statusCode, body } = await client.request({ method: "GET", path: `/oauth/authorize?${QUERY.toString()}` });
  await body.dump();
  return statusCode;
}

/** The number that the next file gets, which is the lowest that is free. */
async function nextDescriptor({ child }: Server): Promise<number> {
  const open = new Set(await readdir(`/proc/${child.pid}/fd`));
  let next = 0;
  while (open.has(String(next))) next++;
  return next;
}

function limit(server: Server, descriptors: number): void {
  execFileSync("prlimit", [`--nofile=${descriptors}:`, `--pid=${server.child.pid}`]);
}

it.skipIf(process.platform !== "linux")(
  "Without a file descriptor left a writing of the whole store is refused, and the server continues when there are some",
  async () => {
    const place = await directory();
    const server = await serve(place);
    const headers = { authorization: `Bearer ${runningIn(place).control_key}` };
    const client = new Client(server.url);
    const removed = async (): Promise<number> => {
      const { statusCode, body } = await client.request({
        method: "DELETE",
        path: "/__svc/v1/instances/other",
        headers,
      });
      await body.dump();
      return statusCode;
    };
    expect(await begin(client)).toBe(302);
    const other = JSON.stringify({ name: "Other", subdomain: "other" });
    // On the client's connection: another would give its descriptor back later.
    const added = await client.request({
      method: "POST",
      path: "/__svc/v1/instances",
      headers: { ...headers, "content-type": "application/json" },
      body: other,
    });
    await added.body.dump();
    expect(added.statusCode).toBe(201);
    limit(server, await nextDescriptor(server));
    for (let n = 0; n < 20; n++) expect(await begin(client)).toBe(302);
    // What was open for a moment at the first look has left a free one.
    limit(server, await nextDescriptor(server));
    expect(await removed()).toBe(503);
    await until(async () => server.logged.some(({ reason }) => reason?.includes("(EMFILE)")));
    limit(server, 1024);
    expect(server.stderr).not.toContain("another process");
    expect(await removed()).toBe(200);
    expect(await begin(client)).toBe(302);
    await client.close();
    expect((await fetch(`${server.url}/__svc/health/ready`)).status).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.ended).toEqual([0, null]);
  },
);

/** Asks until there is an answer other than a refusal. @returns who got it */
async function answered(port: number, localAddress: string): Promise<string> {
  for (;;) {
    const status = await new Promise<number | undefined>((resolve) => {
      const asking = request({ host: "127.0.0.1", port, localAddress, path: "/__svc/health/live", timeout: 1_000 });
      asking.on("response", (response) => resolve(response.resume().statusCode));
      asking.on("error", () => resolve(undefined)).on("timeout", () => asking.destroy());
      asking.end();
    });
    if (status === 200) return localAddress;
    await delay(50);
  }
}

it.skipIf(process.platform !== "linux")(
  "T54: With 256 descriptors, others are answered while 2,000 connections of one client are held open",
  { timeout: 60_000 },
  async () => {
    const command = ["prlimit", "--nofile=256:256", process.execPath];
    const flags = ["--json", "--store", "memory"];
    const { port, output } = await startSvc(flags, { cwd: await directory(), command });
    const sockets = Array.from({ length: 2_000 }, () =>
      connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => undefined),
    );
    sockets.forEach((socket) => socket.write("GET / HTTP/1.1\r\nHost: x\r\n"));
    const dripping = setInterval(() => sockets.forEach((socket) => socket.write("X: y\r\n")), 1_000);
    onTestFinished(() => {
      clearInterval(dripping);
      sockets.forEach((socket) => socket.destroy());
    });
    await delay(500);
    const asking = ["127.0.0.1", "127.0.0.2"].map(async (from) => answered(port, from));
    // With plain `node:http` both are answered when all of these connections have ended.
    expect(await Promise.race(asking)).toBe("127.0.0.2");
    await Promise.all(asking);
    expect(output().filter((line) => line.includes("--trust-proxy"))).toHaveLength(1);
  },
);

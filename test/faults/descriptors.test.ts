import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { Client } from "undici";
import { expect, it } from "vitest";
import { serve, until, type Server } from "./_file-server.ts";
import { directory } from "./_processes.ts";

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
  "A compaction without a file descriptor left says so, and the server continues when there are some",
  async () => {
    const server = await serve(await directory());
    const client = new Client(server.url);
    expect(await begin(client)).toBe(302);
    limit(server, await nextDescriptor(server));
    for (let n = 0; n < 20; n++) expect(await begin(client)).toBe(302);
    await until(async () => server.stderr.includes("could not be brought up to date"));
    limit(server, 1024);
    expect(server.stderr).toContain("(EMFILE)");
    expect(server.stderr).not.toContain("another process");
    expect(await begin(client)).toBe(302);
    await client.close();
    expect((await fetch(`${server.url}/__svc/health/ready`)).status).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.ended).toEqual([0, null]);
  },
);

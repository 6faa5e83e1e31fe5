import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { expect, it } from "vitest";
import { serve, until, type Server } from "./_file-server.ts";
import { directory } from "./_processes.ts";

/** Starts a sign-in, over the connection that the previous one has left open. */
async function begin({ url }: Server): Promise<number> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: "http://localhost:3000/callback" });
  const answer = await fetch(`${url}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
  await answer.arrayBuffer();
  return answer.status;
}

function limit(server: Server, descriptors: number): void {
  execFileSync("prlimit", [`--nofile=${descriptors}:`, `--pid=${server.child.pid}`]);
}

it.skipIf(process.platform !== "linux")(
  "A compaction without a file descriptor left says so, and the server continues when there are some",
  async () => {
    const server = await serve(await directory());
    expect(await begin(server)).toBe(302);
    const before = (await readdir(`/proc/${server.child.pid}/fd`)).length;
    limit(server, before);
    for (let n = 0; n < 20; n++) expect(await begin(server)).toBe(302);
    await until(async () => server.stderr.includes("could not be brought up to date"));
    limit(server, 1024);
    expect(server.stderr).toContain("(EMFILE)");
    expect(server.stderr).not.toContain("another process");
    expect(await begin(server)).toBe(302);
    expect((await fetch(`${server.url}/__svc/health/ready`)).status).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.ended).toEqual([0, null]);
  },
);

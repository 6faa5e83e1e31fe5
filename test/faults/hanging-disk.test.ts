import { describe, expect, it } from "vitest";
import { names, readiness, remove, serve, signIn, until, users, type Server } from "./_file-server.ts";
import { attach, directory, needs, tools } from "./_processes.ts";
import { runningIn } from "../_server-file.ts";

needs("strace");

/** The time that a call of the disk takes, unless the test ends it. */
const HOURS_US = 4e9;

interface Hanging {
  readonly place: string;
  readonly server: Server;
  readonly before: { id: string }[];
  /** Has the disk answer. */
  answer(): Promise<void>;
}

/**
 * A server with three users whose disk answers no more from the next call of a kind on: `fdatasync`, which only changes need,
 * or `fsync`, for whole files. A path would not do: a compaction gives the journal another.
 */
async function hanging(call: string, when: "delay_enter" | "delay_exit"): Promise<Hanging> {
  const place = await directory();
  const server = await serve(place);
  for (const n of [1, 2, 3]) expect(await signIn(server, n)).toBe(true);
  const before = await users(server);
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:${when}=${HOURS_US}:when=1`];
  const answer = await attach(server.child.pid!, ["-o", "/dev/null", ...inject]);
  return { place, server, before, answer };
}

describe.skipIf(!tools.strace)("A file store whose disk hangs", () => {
  it.each([
    ["before the sync", "fdatasync", "delay_enter"],
    ["after the sync", "fdatasync", "delay_exit"],
  ] as const)("answers 503 while it hangs, and goes on when it has answered: %s", async (_, call, when) => {
    const { place, server, before, answer } = await hanging(call, when);
    // The disk answers only when it is told to, below.
    const refused = await Promise.all(before.slice(0, 2).map(({ id }) => remove(server, id)));
    expect(refused.map(({ status }) => status)).toEqual([503, 503]);
    expect(((await refused[0]!.json()) as { error: string }).error).toContain("Storage unavailable");
    for (const n of [11, 12]) expect(await signIn(server, n)).not.toBe(true);
    const ready = await fetch(`${server.url}/__svc/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: "unavailable",
        code: "store_unavailable",
        error: "the disk does not answer",
      },
    ]);
    expect(server.stderr).toMatch(/db\.json is unavailable: the disk does not answer\. Requests .* get 503/);
    await answer();
    await until(async () => (await readiness(server)) === "ok");
    // What was told as failed may have been done; what was refused while it was known was not.
    expect(await users(server)).toEqual(before.slice(2));
    expect(await signIn(server, 21)).toBe(true);
    const after = names(await users(server));
    expect(after).toEqual([...names(before.slice(2)), "Person 21"].toSorted());
    server.child.kill("SIGKILL");
    await server.ended;
    expect(names(await users(await serve(place)))).toEqual(after);
  });

  it("answers 503 while the writing of the whole store hangs, and goes on when it has answered", async () => {
    const { place, server, answer } = await hanging("fsync", "delay_enter");
    const { control_key } = runningIn(place);
    const headers = { authorization: `Bearer ${control_key}` };
    const instances = `${server.url}/__svc/v1/instances`;
    expect((await fetch(`${instances}/acme`, { method: "DELETE", headers })).status).toBe(503);
    await answer();
    await until(async () => (await readiness(server)) === "ok");
    expect((await fetch(`${instances}/acme`, { headers })).status).toBe(404);
  });

  it("has all of what it acknowledged when it is killed meanwhile, and all or nothing of the change", async () => {
    const { place, server, before, answer } = await hanging("fdatasync", "delay_exit");
    expect((await remove(server, before[0]!.id)).status).toBe(503);
    server.child.kill("SIGKILL");
    await answer();
    await server.ended;
    const again = await serve(place);
    const left = await users(again);
    expect([before, before.slice(1)]).toContainEqual(left);
    expect(await signIn(again, 4)).toBe(true);
    expect(names(await users(again))).toContain("Person 4");
  });
});

import { execFileSync } from "node:child_process";
import { chmod, mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { admin, createDatabase, execute } from "../postgres/_postgres.ts";
import { signIn, started, users } from "../postgres/_serve.ts";
import { awaitServer, patient } from "../postgres/_store.ts";
import { fill } from "./_full.ts";
import { directory, needs, tools } from "./_processes.ts";

needs("mount");
awaitServer();

/** A database whose tables lie on a small disk of their own. */
async function onSmallDisk(): Promise<{ url: string; disk: string }> {
  const place = await directory();
  await chmod(place, 0o755);
  const disk = join(place, "disk");
  await mkdir(disk);
  const other = await createDatabase();
  const [setting] = await admin(other).unsafe("SHOW data_directory");
  const { uid, gid } = await stat(setting!["data_directory"] as string);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=24m,mode=0700,uid=${uid},gid=${gid}`, "none", disk]);
  onTestFinished(() => void execFileSync("umount", ["-l", disk]));
  const tablespace = `small_${new URL(other).pathname.slice(-6)}`;
  await execute(other, `CREATE TABLESPACE ${tablespace} LOCATION '${disk}'`);
  const url = await createDatabase(`TABLESPACE ${tablespace}`);
  onTestFinished(async () => {
    await execute(other, `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
    await execute(other, `DROP TABLESPACE ${tablespace}`);
  });
  return { url, disk };
}

it.skipIf(!tools.mount)(
  "A server whose database has a full disk is not ready and says why, loses nothing, and is ready again once there is space",
  async () => {
    const { url, disk } = await onSmallDisk();
    const filler = join(disk, "filler");
    const server = await started(patient(url));
    const ready = async (): Promise<string> => {
      const { status, body } = await server.send("/__svc/health/ready");
      const { code = "ok" } = JSON.parse(body) as { code?: string };
      expect(status).toBe(code === "ok" ? 200 : 503);
      return code;
    };
    const signedIn: string[] = [];
    const arrive = async (n: number): Promise<boolean> => {
      const email = `n${n}@load.test`;
      const isDone = typeof (await signIn(email, () => server)) === "string";
      if (isDone) signedIn.push(email);
      return isDone;
    };
    const known = async (): Promise<string[]> => (await users(server)).map(({ data }) => data.email).toSorted();

    expect(await arrive(0)).toBe(true);
    expect(await ready()).toBe("ok");
    await fill(filler);
    let n = 1;
    while (await arrive(n)) n++;
    await expect.poll(ready, { timeout: 120_000 }).toBe("store_full");
    for (let more = 1; more <= 3; more++) {
      await arrive(n + more);
      expect(await ready()).toBe("store_full");
    }
    expect((await server.send("/__svc/health/live")).status).toBe(200);
    expect(await known()).toEqual(signedIn.toSorted());
    await rm(filler, { recursive: true });
    await expect.poll(ready, { timeout: 120_000 }).toBe("ok");
    expect(await arrive(n + 4)).toBe(true);
    expect(await known()).toEqual(signedIn.toSorted());
    // What it wrote can arrive after its answers.
    const told = (): unknown => server.log().match(/is (unavailable: could not extend file|available again)/g);
    await expect
      .poll(told, { timeout: 60_000 })
      .toEqual(["is unavailable: could not extend file", "is available again"]);
  },
);

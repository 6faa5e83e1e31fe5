import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { names, readiness, remove, serve, signIn, until, users, type Server } from "./_file-server.ts";
import { fill } from "./_full.ts";
import { directory, needs, tools } from "./_processes.ts";

needs("mount", "loop");

/** Mounts a file system of its own over an empty directory, until the test ends. */
type Mount = (path: string) => void;

const onTmpfs: Mount = (path) => void execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", path]);

/** As on a disk that is remounted as read only when it fails, which is what distributions set up. */
const onExt4: Mount = (path) => {
  const image = `${path}.img`;
  writeFileSync(image, Buffer.alloc(8 << 20));
  execFileSync("mkfs.ext4", ["-q", "-m", "0", image]);
  execFileSync("mount", ["-o", "loop,errors=remount-ro", image, path]);
};

async function mounted(mount: Mount): Promise<{ place: string; store: string }> {
  const place = await directory();
  const store = join(place, "store");
  await mkdir(store);
  mount(store);
  onTestFinished(() => void execFileSync("umount", ["-l", store]));
  return { place, store };
}

/** What a server has said of its store coming and going. */
const outages = ({ stderr }: Server): string[] =>
  stderr
    .split("\n")
    .flatMap((line) => (/is (un)?available/.test(line) ? (JSON.parse(line) as { message: string }).message : []));

/** Why requests were answered with 503. */
const reasons = ({ logged }: Server): string[] => [
  ...new Set(logged.flatMap(({ status, reason }) => (status === 503 ? (reason ?? "no reason") : []))),
];

const live = async ({ url }: Server): Promise<number> => (await fetch(`${url}/__svc/health/live`)).status;

describe.each([
  ["tmpfs", tools.mount, onTmpfs],
  ["ext4", tools.loop, onExt4],
] as const)("A full file system (%s)", (_, canMount, mount) => {
  it.skipIf(!canMount)(
    "refuses changes with a reason, loses nothing, and accepts changes again once there is space",
    async () => {
      const { place, store } = await mounted(mount);
      const filler = join(store, "filler");
      await fill(filler);
      await expect(serve(place)).rejects.toThrow("(ENOSPC)");
      await rm(filler, { recursive: true });
      const server = await serve(place);
      const signedIn: string[] = [];
      const arrive = async (n: number): Promise<boolean> => {
        const isDone = (await signIn(server, n)) === true;
        if (isDone) signedIn.push(`Person ${n}`);
        return isDone;
      };
      for (const n of [1, 2]) expect(await arrive(n)).toBe(true);
      for (const outage of [10, 20]) {
        await fill(filler);
        let n = outage;
        // What is left of the journal's last page takes a few.
        while (await arrive(n)) n++;
        const before = await users(server);
        expect(names(before)).toEqual(signedIn.toSorted());
        // Small changes would still find room there, and are refused like all others.
        const refused = await remove(server, before[0]!.id);
        expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
        await until(async () => (await readiness(server)) === "store_full");
        for (let more = 1; more <= 5; more++) {
          expect(await arrive(n + more)).toBe(false);
          expect(await readiness(server)).toBe("store_full");
        }
        expect(await live(server)).toBe(200);
        expect(await users(server)).toEqual(before);
        expect(outages(server)).toHaveLength(outage / 5 - 1);
        await rm(filler, { recursive: true });
        await until(async () => (await readiness(server)) === "ok");
        expect(await arrive(n + 6)).toBe(true);
        expect(names(await users(server))).toEqual(signedIn.toSorted());
      }
      const [away, back] = outages(server);
      expect(away).toContain(`${store}/db.json is unavailable: ${store}/db.journal could not be written (ENOSPC)`);
      expect(back).toBe(`${store}/db.json is available again.`);
      expect(outages(server)).toEqual([away, back, away, back]);
      expect(reasons(server)).toEqual([expect.stringContaining("ENOSPC")]);
      server.child.kill("SIGKILL");
      await server.ended;
      expect(names(await users(await serve(place)))).toEqual(signedIn.toSorted());
    },
  );
});

describe("A file system that fails and becomes read only", () => {
  it.skipIf(!tools.loop)(
    "refuses changes with a reason, and a start on the repaired disk has every record",
    async () => {
      const { place, store } = await mounted(onExt4);
      const server = await serve(place);
      for (const n of [1, 2, 3]) expect(await signIn(server, n)).toBe(true);
      const before = await users(server);
      const device = execFileSync("findmnt", ["--noheadings", "--output", "SOURCE", store], {
        encoding: "utf8",
      }).trim();
      await writeFile(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, "1");
      for (const n of [11, 12, 13]) expect(await signIn(server, n)).not.toBe(true);
      const refused = await remove(server, before[0]!.id);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
      await until(async () => (await readiness(server)) === "store_read_only");
      expect(await live(server)).toBe(200);
      expect(await users(server)).toEqual(before);
      expect(outages(server)).toEqual([expect.stringContaining("db.journal could not be written (EROFS)")]);
      expect(reasons(server)).toEqual([expect.stringContaining("EROFS")]);
      server.child.kill("SIGKILL");
      await server.ended;
      execFileSync("umount", [store]);
      // 1: errors were corrected.
      expect([0, 1]).toContain(statusOf("fsck.ext4", "-p", `${store}.img`));
      execFileSync("mount", ["-o", "loop", `${store}.img`, store]);
      expect(names(await users(await serve(place)))).toEqual(names(before));
    },
  );
});

function statusOf(command: string, ...args: string[]): number | null {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return 0;
  } catch (error) {
    return (error as { status: number | null }).status;
  }
}

import { execFile } from "node:child_process";
import { cp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { directory, figure, tools } from "./_processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const STORE = "src/server/store/json";

interface Mutant {
  /** What is wrong with it. */
  readonly name: string;
  /** Stands in one of the store's files, once. */
  readonly find: string;
  readonly put: string;
  /** The file and the beginning of the name of the test that must see it. */
  readonly by: readonly [file: string, test: string];
  readonly isQuick?: true;
}

const ORDER = ["order", "Acknowledgements and syncs"] as const;
const DAMAGE = "Damage is refused, or dropped with a warning where a crash would look the same";
const FLIPS = ["damage", `${DAMAGE}: bytes that have changed`] as const;
const GAPS = ["damage", `${DAMAGE}: lines that are gone`] as const;
const TORN = ["../store/journal", "is refused where no crash leaves it like that"] as const;
const FULL = ["full-disk", "A disk that is full is a refusal"] as const;
const FENCE = ["owner", "An owner that the lock does not reach"] as const;

const MUTANTS: readonly Mutant[] = [
  {
    name: "answers before its line is synced",
    find: "await this.#handle.datasync();",
    put: "void this.#handle.datasync();",
    by: ORDER,
    isQuick: true,
  },
  {
    name: "answers before its line is written",
    find: "await this.#log.append(changes);",
    put: "void this.#log.append(changes);",
    by: ["kill", ""],
  },
  {
    name: "does not sync the directory",
    find: 'if (process.platform === "win32") return;',
    put: "if (path) return;",
    by: ORDER,
    isQuick: true,
  },
  {
    name: "puts db.json in its place before it is synced",
    find: "await handle.sync();\n      const { size }",
    put: "const { size }",
    by: ORDER,
  },
  {
    name: "removes the old journal before db.json has its changes",
    find: "await this.#low.write();",
    put: "await rm(oldName(this.#path), { force: true });\n    await this.#low.write();",
    by: ORDER,
  },
  {
    name: "takes no lock",
    find: "if (!bound) return undefined;",
    put: "if (!bound) return async () => {};",
    by: ["owner", "Of four processes"],
    isQuick: true,
  },
  {
    name: "has no fence",
    find: "there.ino === ours.ino && there.dev === ours.dev && there.size === this.#length",
    put: "(there.ino > 0 || ours.ino > 0)",
    by: FENCE,
  },
  {
    name: "knows a file again by its length alone",
    find: "there.ino === ours.ino && there.dev === ours.dev && ",
    put: "",
    by: ["../store/faults", "Somebody else who writes"],
  },
  {
    name: "takes a last line that has changed for one that was cut",
    find: "if (isWhole && !hasHole(bytes, offset))",
    put: "if (bytes.length < 0)",
    by: TORN,
  },
  {
    name: "does not miss lines",
    find: "if (entry.sequence > last + 1)",
    put: "if (entry.sequence > last + 1) last = entry.sequence - 1;\n    if (entry.sequence < 0)",
    by: GAPS,
  },
  {
    name: "does not check a line's checksum",
    find: "checksumOf(line) !== crc32(line.subarray(0, end))",
    put: "Number.isNaN(checksumOf(line))",
    by: FLIPS,
  },
  {
    name: "does not check what lines there are",
    find: "bytes.toString() !== lastLine(checksum)",
    put: "bytes.length === 0",
    by: GAPS,
  },
  {
    name: "does not write what a short write has left",
    find: "done += bytesWritten;",
    put: "done = bytesWritten > 0 ? line.length : 0;",
    by: FULL,
  },
  {
    name: "goes on after a sync that failed",
    find: "this.#stop(`could not be synced (${codeOf(error)})`);",
    put: "",
    by: ["full-disk", "A sync that fails ends all writing"],
  },
  {
    name: "shows changes before they are durable",
    find: "const changes = group.flatMap((member) => member.changes);",
    put: "const changes = group.flatMap((member) => member.changes);\n      for (const change of changes) this.#document.apply(change);",
    by: FULL,
  },
  {
    name: "does not write deletions down",
    find: "return { changes, result: true };",
    put: "for (const change of changes) document.apply(change);\n          return { changes: [], result: true };",
    by: ["kill", ""],
  },
  {
    name: "deletes a user without the sessions",
    find: '...document.sessionsOf(id).map((session): Change => ["delete", "sessions", session.session_id]),',
    put: "",
    by: ["model", "A store against a model (json) does what"],
  },
  {
    name: "gives one state to two",
    find: "keys: () => [`state ${state}`],",
    put: "keys: () => [],",
    by: ["../store/json", "A store (json) saveState, takeState gives it to one"],
  },
];

/** A copy of the project, small enough to make often. */
async function copied(): Promise<string> {
  const place = await directory();
  const names = [
    "src",
    "test",
    "fixtures",
    "package.json",
    "tsconfig.json",
    "vitest.config.ts",
    "vitest.faults.config.ts",
  ];
  for (const name of names) await cp(join(ROOT, name), join(place, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(place, "node_modules"));
  return place;
}

/** @throws when the string is not where it was: then the mutant is to be brought up to date */
async function mutate(place: string, { find, put }: Mutant): Promise<void> {
  const found: string[] = [];
  for (const name of await readdir(join(place, STORE))) {
    const file = join(place, STORE, name);
    const text = await readFile(file, "utf8");
    found.push(...Array.from({ length: text.split(find).length - 1 }, () => name));
    if (text.includes(find))
      await writeFile(
        file,
        text.replace(find, () => put),
      );
  }
  if (found.length !== 1) throw new Error(`stands in ${found.length} places (${found.join()}): ${find}`);
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

async function run(place: string, [file, test]: Mutant["by"]): Promise<Report> {
  const config = file.startsWith("..") ? "vitest.config.ts" : "vitest.faults.config.ts";
  const pattern = test.replaceAll(/[^\w ,']/g, ".");
  const output = join(place, "report.json");
  const args = [
    "run",
    "--config",
    config,
    "--reporter=json",
    "--outputFile",
    output,
    "-t",
    pattern,
    join("test/faults", `${file}.test.ts`),
  ];
  const { SVC_FAULTS: _, ...env } = process.env;
  await new Promise<void>((resolve) => {
    execFile(join(ROOT, "node_modules/.bin/vitest"), args, { cwd: place, env }, () => resolve());
  });
  return JSON.parse(await readFile(output, "utf8")) as Report;
}

const chosen = MUTANTS.filter(({ isQuick }) => isQuick || figure(0, 1) === 1);

describe.skipIf(!tools.strace || !tools.prlimit || !tools.unshare)("A store that is made wrong on purpose", () => {
  it.each([...new Set(chosen.map(({ by }) => by))])("would not be seen by accident: %s", async (...by) => {
    const { numPassedTests, numFailedTests } = await run(await copied(), by);
    expect([numPassedTests > 0, numFailedTests]).toEqual([true, 0]);
  });

  it.each(chosen)("is seen: one that $name", async (mutant) => {
    const place = await copied();
    await mutate(place, mutant);
    expect((await run(place, mutant.by)).numFailedTests).toBeGreaterThan(0);
  });

  it.each(MUTANTS)("can be made: one that $name", async (mutant) => {
    const place = await directory();
    await cp(join(ROOT, STORE), join(place, STORE), { recursive: true });
    await mutate(place, mutant);
  });
});

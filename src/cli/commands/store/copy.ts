import { randomBytes } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve, join } from "node:path";
import type { Command } from "commander";
import { systemReason } from "../../../disk/system-reason.ts";
import type { Copy, Digests, Exported } from "../../../server/index.ts";
import { runs, type Flags } from "../../command.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError, CliError, EXIT, type ExitCode } from "../../errors.ts";
import { writeNewFile } from "../../files.ts";
import { createProgress } from "../../output/progress.ts";
import { countedAmong, note, printJson, say, harmless } from "../../output/text.ts";
import { inDirectory, storeLocation } from "../serve/options.ts";
import { openMaintenance, addStoreFlags, auditFilled, takenStore, type StoreOptions } from "./options.ts";

export function addCopy(store: Command, context: Surroundings): void {
  const copy = store.command("copy <from> <to>").description("copy a store into an empty one, and compare both");
  runs(copy, context, { on: "store", changes: true }, runCopy, {
    examples: [["svc store copy data/db.json postgres://db.example/svc", "from a laptop to a team's database"]],
    notes: `Each is the path of a db.json, or a database's URL; keep its password out of the URL, and in PGPASSWORD.
FROM may be in use: the copy is its records at one moment. FROM is not changed. A changed clock, scenarios, snapshots
and sign-ins in progress are not copied.
TO must be empty. If a copy into a database is interrupted, the same command continues it; a db.json has all of it or nothing.
Exit code 1: they differ. --json has the count and a SHA-256 of all records of each table, of both stores.`,
  });

  const exports = addStoreFlags(
    store.command("export").description("print all records as NDJSON, for svc store import"),
  )
    .option("--output-file <file>", "write to a file that only you can read")
    .option("--readable", "export what can be read of a damaged db.json, and say what is missing");
  runs(exports, context, { on: "store" }, runExport, {
    examples: [
      ["svc store export --output-file backup.ndjson", "a file that only you can read"],
      ["svc store export | gzip > backup.ndjson.gz", "beside a running server"],
      ["svc store export --readable --output-file rest.ndjson", "what is left of a damaged db.json"],
    ],
    notes: `It contains secret keys, password digests and provider tokens: keep it as safe as the store itself.
A server may be using the store: what is written is its records at one moment. A changed clock, scenarios, snapshots
and sign-ins in progress are left out. The last line has the counts and the SHA-256 of all before, so that a file which
was cut or altered is never imported.`,
  });

  const imports = addStoreFlags(
    store.command("import <file>").description("load an export into an empty store; - reads standard input"),
  );
  runs(imports, context, { on: "store", changes: true }, runImport, {
    examples: [
      ["svc store import backup.ndjson", "into the store of svc serve in this directory"],
      ["gunzip -c backup.ndjson.gz | svc store import - --store new/db.json", "into another"],
    ],
    notes: `The file is read whole before anything is written: one that is cut off or altered changes nothing. The store must
be empty. If an import into a database is interrupted, the same command continues it. Standard input is buffered in an unnamed file in
the system's temporary directory (TMPDIR), which disappears with the command.`,
  });
}

export async function runCopy(context: Context, options: StoreOptions, from: string, to: string): Promise<ExitCode> {
  const bar = createProgress(context);
  const maintenance = await openMaintenance(context, options);
  const locate = (location: string): string => inDirectory(context.cwd, location);
  const copy = await maintenance.copy(locate(from), locate(to), bar.to).finally(bar.end);
  if (!copy.wasThere) await auditFilled(context, options, copy.to.digests.users.count);
  if (options.json) printJson(context, { from: copy.from, to: copy.to, equal: copy.isEqual, was_there: copy.wasThere });
  else say(context, outcome(copy));
  return copy.isEqual ? EXIT.done : EXIT.failed;
}

function outcome({ from, to, isEqual, wasThere }: Copy): string {
  if (!isEqual) return `${to.location} differs from ${from.location}. Delete it, and copy again.`;
  if (wasThere) return `${to.location} already has all of it.`;
  return `Copied ${countsOf(to.digests)} from ${from.location} to ${to.location}. The records of both are equal. A changed clock, scenarios and snapshots were not copied.`;
}

function countsOf(digests: Digests): string {
  return Object.entries(digests)
    .map(([table, { count }]) => countedAmong(count, table))
    .join(", ");
}

type Export = (write: (text: string) => Promise<void>) => Promise<Exported>;

type ExportOptions = StoreOptions & Flags<"outputFile", "readable">;

export async function runExport(context: Context, options: ExportOptions): Promise<void> {
  const { location: store, by } = await takenStore(context, options);
  const maintenance = await openMaintenance(context, options);
  const run: Export = (write) =>
    options.readable ? maintenance.exportReadable(store, write) : maintenance.export(store, write);
  const file = options.outputFile === undefined ? undefined : resolve(context.cwd, options.outputFile);
  const { location, digests } = await (file === undefined
    ? toStdout(context, run)
    : writeNewFile(file, (handle) => run((text) => handle.writeFile(text))));
  if (file !== undefined && options.json) printJson(context, { file, tables: digests });
  const done = `Exported ${countsOf(digests)} from ${location}${by}. It contains secret keys: keep it safe.`;
  note(context, options, "info", done);
}

function toStdout({ stdout }: Context, run: Export): Promise<Exported> {
  return run(async (text) => {
    // Text on a terminal is for people, and is not imported again.
    stdout.write(stdout.isTTY ? text.split("\n").map(harmless).join("\n") : text);
    if ((await stdout.ready?.()) === false)
      throw new CliError(EXIT.failed, "The reader of the export closed early. The export is incomplete.");
  });
}

export async function runImport(context: Context, options: StoreOptions, file: string): Promise<ExitCode> {
  const location = await storeLocation(context, options);
  const maintenance = await openMaintenance(context, options);
  const input = await openInput(context, file);
  const bar = createProgress(context);
  const name = file === "-" ? "standard input" : file;
  try {
    const done = await maintenance.import(location, name, input, bar.to).finally(bar.end);
    const { location: to, digests, isEqual, wasThere } = done;
    if (!wasThere) await auditFilled(context, options, digests.users.count);
    if (options.json) printJson(context, { location: to, tables: digests, equal: isEqual, was_there: wasThere });
    else if (!isEqual) say(context, `${to} differs from ${name}. Delete it, and import again.`);
    else if (wasThere) say(context, `${to} already has all of it.`);
    else say(context, `Imported ${countsOf(digests)} from ${name} into ${to}.`);
    return isEqual ? EXIT.done : EXIT.failed;
  } finally {
    await input.close();
  }
}

/** Something that can be read twice. */
async function openInput(context: Context, file: string): Promise<FileHandle> {
  if (file === "-") return spool(context.stdin);
  const path = resolve(context.cwd, file);
  const handle = await open(path, "r").catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${systemReason(error)}.`);
  });
  const there = await handle.stat();
  if (there.isFile()) return handle;
  const isStream = there.isFIFO() || there.isCharacterDevice();
  if (isStream) return spool(handle.createReadStream() as AsyncIterable<Buffer>);
  await handle.close();
  throw new UsageError(`${path} is not a file.`);
}

/** Keeps a stream in a file that only this process can reach. */
async function spool(chunks: AsyncIterable<Buffer | string>): Promise<FileHandle> {
  const path = join(tmpdir(), `svc-import-${randomBytes(12).toString("hex")}`);
  const handle = await open(path, "wx+", 0o600);
  try {
    await rm(path);
    for await (const chunk of chunks) await handle.writeFile(chunk);
    return handle;
  } catch (error) {
    await handle.close();
    throw new CliError(EXIT.failed, `Standard input could not be kept in ${tmpdir()}: ${systemReason(error)}.`);
  }
}

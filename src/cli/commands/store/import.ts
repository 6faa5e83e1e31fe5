import { randomBytes } from "node:crypto";
import { open, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemReason } from "../../../disk/system-reason.ts";
import type { Command } from "commander";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT, type ExitCode, UsageError } from "../../errors.ts";
import { printAll } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { createProgress } from "../../output/progress.ts";
import { printJson, say } from "../../output/text.ts";
import { storeLocation } from "../serve/options.ts";
import { markOwnStore } from "../serve/own-store.ts";
import { addStoreFlags, openMaintenance, TABLES, type StoreOptions } from "./options.ts";

export function addImport(store: Command, context: Context): void {
  const command = addStoreFlags(
    printsRows(store.command("import <file>")).description(
      "load an export into an empty store; - reads standard input",
    ),
  );
  withHelp(command, {
    examples: [
      ["svc store import backup.ndjson", "into the store of svc serve in this directory"],
      ["gunzip -c backup.ndjson.gz | svc store import - --store new/db.json", "into another"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes: `The file is read whole before anything is written: one that is cut off or altered changes nothing. The store must
be empty. If the import is interrupted, the same command continues it. Standard input is buffered in an unnamed file in
the system's temporary directory (TMPDIR), which disappears with the command.`,
  });
  runs(command, (options: StoreOptions, file: string) => runImport(context, options, file));
}

/** Loads an export into an empty store. @returns the exit code */
export async function runImport(context: Context, options: StoreOptions, file: string): Promise<ExitCode> {
  const location = await storeLocation(context, options);
  const maintenance = await openMaintenance(context);
  const input = await openInput(context, file);
  const bar = createProgress(context);
  const name = file === "-" ? "standard input" : file;
  try {
    const done = await maintenance.import(location, name, input, bar.to).finally(bar.end);
    await markOwnStore(context, location).catch(() => undefined);
    const { location: to, digests, isEqual, wasThere } = done;
    if (options.json) printJson(context, { location: to, tables: digests, equal: isEqual, was_there: wasThere });
    else {
      const rows = Object.entries(digests).map(([table, row]) => ({ table, ...row }));
      await printAll(context, options, TABLES, rows, "");
      if (!isEqual) say(context, `${to} differs from ${name}. Delete it, and import again.`);
      else say(context, wasThere ? `${to} already has all of it.` : `Imported ${name} into ${to}.`);
    }
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

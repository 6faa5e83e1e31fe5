import { resolve } from "node:path";
import type { Command } from "commander";
import type { Digests } from "../../../server/index.ts";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { countedAmong, harmless, printJson, say } from "../../output/text.ts";
import { writeNewFile } from "../../files.ts";
import { storeLocation } from "../serve/options.ts";
import { addStoreFlags, openMaintenance, type StoreOptions } from "./options.ts";

type Export = (write: (text: string) => Promise<void>) => Promise<Digests>;

export interface ExportOptions extends StoreOptions {
  readonly outputFile?: string;
}

export function addExport(store: Command, context: Context): void {
  const command = addStoreFlags(
    store.command("export").description("print all records as NDJSON, for svc store import"),
  ).option("--output-file <file>", "write to a file that only you can read");
  withHelp(command, {
    examples: [
      ["svc store export --output-file backup.ndjson", "a file that only you can read"],
      ["svc store export | gzip > backup.ndjson.gz", "beside a running server"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage],
    notes: `It contains secret keys, password digests and provider tokens: keep it as safe as the store itself.
A server may be using the store: what is written is its records at one moment. A changed clock, scenarios, snapshots
and sign-ins in progress are left out. The last line has the counts and the SHA-256 of all before, so that a file which
was cut or altered is never imported.`,
  });
  runs(command, (options: ExportOptions) => runExport(context, options));
}

/** Prints all records, or writes them to a file. */
export async function runExport(context: Context, options: ExportOptions): Promise<void> {
  const location = await storeLocation(context, options);
  const maintenance = await openMaintenance(context);
  const run: Export = (write) => maintenance.export(location, write);
  const file = options.outputFile === undefined ? undefined : resolve(context.cwd, options.outputFile);
  const digests = await (file === undefined
    ? toStdout(context, run)
    : writeNewFile(file, (handle) => run((text) => handle.writeFile(text))));
  if (file !== undefined && options.json) printJson(context, { file, tables: digests });
  const counts = Object.entries(digests).map(([name, { count }]) => countedAmong(count, name));
  say(context, `Exported ${counts.join(", ")}. It contains secret keys: keep it safe.`);
}

function toStdout({ stdout }: Context, run: Export): Promise<Digests> {
  return run(async (text) => {
    // Text on a terminal is for people, and is not imported again.
    stdout.write(stdout.isTTY ? text.split("\n").map(harmless).join("\n") : text);
    if ((await stdout.ready?.()) === false)
      throw new CliError(EXIT.failed, "The reader of the export closed early. The export is incomplete.");
  });
}

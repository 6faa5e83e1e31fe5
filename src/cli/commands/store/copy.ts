import type { Command } from "commander";
import type { Copy, Digests } from "../../../server/index.ts";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT, type ExitCode } from "../../errors.ts";
import type { Listed } from "../../list/columns.ts";
import { printAll } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { createProgress } from "../../output/progress.ts";
import { printJson, say } from "../../output/text.ts";
import { inDirectory } from "../serve/options.ts";
import { markOwnStore } from "../serve/own-store.ts";
import { openMaintenance, TABLES, type StoreOptions, type TableRow } from "./options.ts";

export function addCopy(store: Command, context: Context): void {
  const command = printsRows(store.command("copy <from> <to>")).description(
    "copy a store into an empty one, and compare both",
  );
  withHelp(command, {
    examples: [
      ["svc store copy .svc/db.json postgres://db.example/svc", "from a laptop to a team's database"],
      ["svc store copy postgres://db.example/svc backup/db.json", "and back"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes: `Each is the path of a db.json, or a database's URL; keep its password out of the URL, and in PGPASSWORD.
FROM may be in use: the copy is its records at one moment. FROM is not changed. A changed clock, scenarios, snapshots
and sign-ins in progress are not copied.
TO must be empty. If the copy is interrupted, the same command continues it.
For each table the count and the SHA-256 of both stores are printed. Exit code 1: they differ.`,
  });
  runs(command, (options: StoreOptions, from: string, to: string) => runCopy(context, options, from, to));
}

/** Copies a store into an empty one, and compares both. @returns the exit code */
export async function runCopy(context: Context, options: StoreOptions, from: string, to: string): Promise<ExitCode> {
  const bar = createProgress(context);
  const maintenance = await openMaintenance(context);
  const locate = (location: string): string => inDirectory(context.cwd, location);
  const copy = await maintenance.copy(locate(from), locate(to), bar.to).finally(bar.end);
  await markOwnStore(context, locate(to)).catch(() => undefined);
  if (options.json) printJson(context, { from: copy.from, to: copy.to, equal: copy.isEqual, was_there: copy.wasThere });
  else {
    await printAll(context, options, SIDES, rowsOf(copy), "");
    say(context, outcome(copy));
  }
  return copy.isEqual ? EXIT.done : EXIT.failed;
}

const SIDES: Listed<TableRow> = {
  ...TABLES,
  columns: [{ name: "side", title: "SIDE", whole: true, value: ({ side }) => side ?? "" }, ...TABLES.columns],
};

function rowsOf({ from, to }: Copy): TableRow[] {
  const names = Object.keys(from.digests) as (keyof Digests)[];
  return names.flatMap((table) => [
    { side: "from", table, ...from.digests[table] },
    { side: "to", table, ...to.digests[table] },
  ]);
}

function outcome({ from, to, isEqual, wasThere }: Copy): string {
  if (!isEqual) return `${to.location} differs from ${from.location}. Delete it, and copy again.`;
  if (wasThere) return `${to.location} already has all of it.`;
  return `Copied ${from.location} to ${to.location}. The records of both are equal. A changed clock, scenarios and snapshots were not copied.`;
}

import type { Command } from "commander";
import type { StoreCheck } from "../../../server/index.ts";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT, type ExitCode } from "../../errors.ts";
import { colors, harmless, printJson, printRecord, say } from "../../output/text.ts";
import { storeLocation } from "../serve/options.ts";
import { addStoreFlags, openMaintenance, sameStore, type StoreOptions } from "./options.ts";

/** How many faults are shown. */
const SHOWN = 20;

export function addCheck(store: Command, context: Context): void {
  const command = addStoreFlags(
    store.command("check").description("read a whole store, and report what is wrong with it"),
  );
  withHelp(command, {
    examples: [
      ["svc store check", "the store of svc serve in this directory"],
      ["svc store check --store .svc/db.json --json", "for a program"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage],
    notes: "Changes nothing, and can run beside a server. Exit code 1 means that something is wrong.",
  });
  runs(command, (options: StoreOptions) => runCheck(context, options));
}

/** Prints what is in a store, and what is wrong with it. @returns the exit code */
export async function runCheck(context: Context, options: StoreOptions): Promise<ExitCode> {
  const location = await storeLocation(context, options);
  const found = await (await openMaintenance(context)).check(location);
  const isSound = found.damage.length === 0 && found.dangling.length === 0;
  if (options.json) printJson(context, { ...found, sound: isSound });
  else {
    print(context, found);
    // svc store repair is for a db.json. The notes on a database say what to do.
    if (found.kind.startsWith("json") && !isSound) say(context, `${repairOf(found)}${sameStore(options)}`);
  }
  return isSound ? EXIT.done : EXIT.failed;
}

function repairOf({ damage }: StoreCheck): string {
  return damage.length > 0
    ? "To keep what can be read: svc store repair"
    : "To drop these records: svc store repair --drop-dangling";
}

function print(context: Context, found: StoreCheck): void {
  const { bytes, sequence, damage, dangling } = found;
  printRecord(context, {
    location: found.location,
    kind: found.kind,
    ...(bytes !== undefined && { bytes: String(bytes) }),
    ...(sequence !== undefined && { sequence: String(sequence) }),
    ...Object.fromEntries(Object.entries(found.tables).map(([name, count]) => [name, String(count)])),
    damaged: String(damage.length),
    dangling: String(dangling.length),
  });
  const cross = colors(context.stdout, context).red("✗");
  const faults = [...damage, ...dangling];
  for (const sentence of faults.slice(0, SHOWN)) context.stdout.write(`${cross} ${harmless(sentence)}\n`);
  if (faults.length > SHOWN) say(context, `and ${faults.length - SHOWN} more. Use --json for all of them.`);
  for (const note of found.notes) say(context, note);
}

import type { Command } from "commander";
import type { StoreCheck } from "../../../server/index.ts";
import { runs, type Flags } from "../../command.ts";
import type { Context, Surroundings } from "../../context.ts";
import { EXIT, type ExitCode } from "../../errors.ts";
import { colors, harmless, note, printJson, printRecord, say } from "../../output/text.ts";
import { addStoreFlags, openMaintenance, sameStore, takenStore, type StoreOptions } from "./options.ts";

const SHOWN = 20;

export function addCheck(store: Command, context: Surroundings): void {
  const check = addStoreFlags(
    store.command("check").description("read a whole store, and report what is wrong with it"),
  ).option("--accept", "take a db.json that you have edited, if its records are valid");
  runs(check, context, { on: "store" }, runCheck, {
    examples: [
      ["svc store check", "the store of svc serve in this directory"],
      ["svc store check --accept", "after db.json was edited while no server ran"],
    ],
    notes: `Without --accept nothing is changed, and a server may be using the store. Exit code 1 means that something is wrong.
With --accept a db.json that was edited, or is a copy without its journal, counts as if svc had written it.`,
  });
}

export type CheckOptions = StoreOptions & Flags<never, "accept">;

export async function runCheck(context: Context, options: CheckOptions): Promise<ExitCode> {
  const { location, by } = await takenStore(context, options);
  const maintenance = await openMaintenance(context, options);
  if (options.accept) {
    await maintenance.accept(location);
    note(context, options, "info", `${location}${by} counts as it is.`);
  }
  const found = await maintenance.check(location);
  const { damage, dangling, doubts = [] } = found;
  const isSound = damage.length + dangling.length + doubts.length === 0;
  if (options.json) printJson(context, { ...found, sound: isSound });
  else {
    print(context, found, by);
    // The notes on a database say what to do.
    if (found.kind.startsWith("file") && !isSound) say(context, `${remedyOf(found)}${sameStore(options)}`);
  }
  return isSound ? EXIT.done : EXIT.failed;
}

function remedyOf({ damage }: StoreCheck): string {
  return damage.length > 0
    ? "If you have edited db.json, correct it. Otherwise restore a backup, or keep what can be read: svc store export --readable"
    : "If this is what you want: svc store check --accept";
}

function print(context: Context, found: StoreCheck, by: string): void {
  const { bytes, sequence, damage, dangling, doubts = [] } = found;
  printRecord(context, {
    location: `${found.location}${by}`,
    kind: found.kind,
    ...(bytes !== undefined && { bytes: String(bytes) }),
    ...(sequence !== undefined && { sequence: String(sequence) }),
    ...Object.fromEntries(Object.entries(found.tables).map(([name, count]) => [name, String(count)])),
    damaged: String(damage.length),
    dangling: String(dangling.length),
  });
  const cross = colors(context.stdout, context).red("✗");
  const faults = [...damage, ...dangling, ...doubts];
  for (const sentence of faults.slice(0, SHOWN)) context.stdout.write(`${cross} ${harmless(sentence)}\n`);
  if (faults.length > SHOWN) say(context, `and ${faults.length - SHOWN} more. Use --json for all of them.`);
  for (const sentence of found.notes) say(context, sentence);
}

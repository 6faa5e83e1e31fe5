import type { Command } from "commander";
import type { StoreCheck, Repair } from "../../../server/index.ts";
import { runs, type Flags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT, type ExitCode } from "../../errors.ts";
import { requireConsent } from "../../output/prompts.ts";
import { countedAmong, colors, harmless, printJson, printRecord, say } from "../../output/text.ts";
import { storeLocation } from "../serve/options.ts";
import { addStoreFlags, openMaintenance, sameStore, type StoreOptions } from "./options.ts";

const SHOWN = 20;

export function addRepair(store: Command, context: Context): void {
  const check = addStoreFlags(
    store.command("check").description("read a whole store, and report what is wrong with it"),
  );
  runs(check, context, runCheck, {
    examples: [
      ["svc store check", "the store of svc serve in this directory"],
      ["svc store check --store data/db.json --json", "for a program"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.storeUnusable],
    notes: "Changes nothing, and can run beside a server. Exit code 1 means that something is wrong.",
  });

  const repair = addStoreFlags(
    store.command("repair").description("keep what can be read of a damaged db.json, and report what cannot"),
  )
    .option("--dry-run", "report what would be lost, without changing anything")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--drop-dangling", "drop records that reference a missing user or instance");
  runs(repair, context, runRepair, {
    examples: [
      ["svc store repair --dry-run", "see what would be lost"],
      ["svc store repair", "see it, then confirm"],
      ["svc store repair --store data/db.json --yes", "in a script"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition, EXIT.storeUnusable],
    notes:
      "Each file is copied first: db.json.<time>.bak and so on. A store without damage is not changed. Stop the server first.",
  });
}

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

export type RepairOptions = StoreOptions & Flags<never, "yes" | "dryRun" | "dropDangling">;

export async function runRepair(context: Context, options: RepairOptions): Promise<void> {
  const location = await storeLocation(context, options);
  const maintenance = await openMaintenance(context);
  const repair = await maintenance.openRepair(location, { dropDangling: options.dropDangling, now: context.now() });
  try {
    await reportAndApply(context, repair, options);
  } finally {
    await repair.close();
  }
}

async function reportAndApply(context: Context, repair: Repair, options: RepairOptions): Promise<void> {
  const { location, losses, remaining, notes, kept } = repair;
  const isSound = losses.length === 0;
  const report = (copies: readonly string[], isRepaired: boolean): void => {
    if (options.json) printJson(context, { location, losses, remaining, notes, kept, repaired: isRepaired, copies });
  };
  if (isSound) {
    report([], false);
    if (remaining.length > 0) return sayRemaining(context, remaining, options);
    return say(context, `${location} is not damaged: nothing to repair.`);
  }
  if (!options.json) for (const loss of losses) context.stdout.write(`${harmless(loss)}\n`);
  if (remaining.length > 0) sayRemaining(context, remaining, options);
  for (const note of notes) say(context, note);
  const counts = Object.entries(kept).map(([name, count]) => countedAmong(count, name));
  say(context, `Kept: ${counts.join(", ")}.`);
  if (options.dryRun) {
    report([], false);
    return say(context, "Nothing was changed.");
  }
  if (!options.yes)
    await requireConsent(
      context,
      `Rewrite ${harmless(location)} without these records? Its files are copied first.`,
      "Add --yes to repair without confirmation, or --dry-run to preview.",
    );
  const copies = await repair.apply();
  report(copies, true);
  say(context, `${location} was repaired. The files as they were:`);
  for (const copy of copies) say(context, `  ${copy}`);
}

/** Names the records that a repair keeps, and that `svc store export` refuses. */
function sayRemaining(context: Context, remaining: readonly string[], options: RepairOptions): void {
  say(context, "These records are kept, but can't be exported or copied:");
  for (const sentence of remaining) say(context, `  ${harmless(sentence)}`);
  if (!options.dropDangling)
    say(context, `To drop those whose owner is missing: svc store repair --drop-dangling${sameStore(options)}`);
}

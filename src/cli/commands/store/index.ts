import type { Migration } from "../../../server/index.ts";
import { runs, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { printJson, say } from "../../output/text.ts";
import { storeLocation } from "../serve/options.ts";
import { addCopy } from "./copy.ts";
import { addStoreFlags, openMaintenance, type StoreOptions } from "./options.ts";
import { addRepair } from "./repair.ts";

export function add(program: Program, context: Context): void {
  const store = program.command("store");
  addRepair(store, context);
  runs(addStoreFlags(store.command("compact").description("compact the journal into db.json")), context, runCompact, {
    examples: [["svc store compact", "so that db.json has all records"]],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition, EXIT.storeUnusable],
    notes: "A server does this by itself, while it runs and when it stops.",
  });
  const migrate = addStoreFlags(store.command("migrate").description("upgrade a store to the newest format"));
  runs(migrate, context, runMigrate, {
    examples: [
      ["svc store migrate", "the store of svc serve in this directory"],
      ["SVC_STORE=postgres://db.example/svc svc store migrate", "a database, before its servers are upgraded"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition, EXIT.storeUnusable],
    notes: "A server does this when it starts. The old db.json is kept beside the new one, as db.json.format-2.bak.",
  });
  addCopy(store, context);
}

export async function runCompact(context: Context, options: StoreOptions): Promise<void> {
  const location = await storeLocation(context, options);
  const done = await (await openMaintenance(context)).compact(location);
  for (const warning of done.warnings) say(context, warning);
  if (options.json) printJson(context, done);
  else if (done.journal === 0) say(context, `${done.location} has an empty journal: nothing to compact.`);
  else say(context, `${done.location}: ${done.before} bytes became ${done.after}.`);
}

export async function runMigrate(context: Context, options: StoreOptions): Promise<void> {
  const location = await storeLocation(context, options);
  const done = await (await openMaintenance(context)).migrate(location);
  if (options.json) return printJson(context, done);
  say(context, `${done.location}${outcome(done)}`);
  if (done.trigrams === false)
    say(context, "The extension pg_trgm is missing, so a search for a part of a text reads every row.");
}

function outcome({ from, to, indexed }: Migration): string {
  if (from === 0) return `: created the schema svc, version ${to}.`;
  if (from !== to) return `: from format ${from} to ${to}.`;
  return indexed ? `: created the missing indexes. It has format ${to} already.` : ` has format ${to}: nothing to do.`;
}

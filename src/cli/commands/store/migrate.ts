import type { Command } from "commander";
import type { Migration } from "../../../server/index.ts";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { printJson, say } from "../../output/text.ts";
import { storeLocation } from "../serve/options.ts";
import { addStoreFlags, openMaintenance, type StoreOptions } from "./options.ts";

export function addMigrate(store: Command, context: Context): void {
  const command = addStoreFlags(store.command("migrate").description("upgrade a store to the newest format"));
  withHelp(command, {
    examples: [
      ["svc store migrate", "the store of svc serve in this directory"],
      ["SVC_STORE=postgres://db.example/svc svc store migrate", "a database, before its servers are upgraded"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes: "A server does this when it starts. The old db.json is kept beside the new one, as db.json.format-2.bak.",
  });
  runs(command, (options: StoreOptions) => runMigrate(context, options));
}

/** Upgrades a store to the newest format. */
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

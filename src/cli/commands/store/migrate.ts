import type { Command } from "commander";
import type { Context } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { withHelp } from "../../help/with-help.ts";
import { printJson } from "../../output/text.ts";
import { runs } from "../../program.ts";
import { storeLocation } from "../serve/options.ts";
import { addStoreFlags, openMaintenance, say, type StoreOptions } from "./options.ts";

export function addMigrate(store: Command, context: Context): void {
  const command = addStoreFlags(store.command("migrate").description("upgrade a store to the newest format"));
  withHelp(command, {
    examples: [
      ["svc store migrate", "the store of svc serve in this directory"],
      ["SVC_STORE=postgres://db.example/svc svc store migrate", "a database, before its servers are upgraded"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes: "A server does that as it starts. A db.json is kept as it was beside it: db.json.format-2.bak.",
  });
  runs(command, (options: StoreOptions) => runMigrate(context, options));
}

/** Upgrades a store to the newest format. */
export async function runMigrate(context: Context, options: StoreOptions): Promise<void> {
  const location = await storeLocation(context, options);
  const done = await (await openMaintenance()).migrate(location, (message) => say(context, message));
  if (options.json) printJson(context, done);
  else if (done.from === done.to) say(context, `${done.location} has format ${done.to}: nothing to do.`);
  else say(context, `${done.location}: from format ${done.from} to ${done.to}.`);
}

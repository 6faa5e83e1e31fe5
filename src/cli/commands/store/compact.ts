import type { Command } from "commander";
import type { GlobalFlags } from "../../connection/client-options.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { withHelp } from "../../help/with-help.ts";
import { printJson } from "../../output/text.ts";
import type { Program } from "../../program.ts";
import { storeLocation } from "../serve/options.ts";
import { addStoreFlags, openMaintenance, say, type StoreFlags } from "./options.ts";

export function addCompact(store: Command, program: Program, context: Context): void {
  const command = addStoreFlags(store.command("compact").description("compact the journal into db.json"));
  withHelp(command, {
    examples: [["svc store compact", "so that db.json has all records"]],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes: "A server does this by itself, while it runs and when it stops.",
  }).action(async (flags: StoreFlags) => {
    const location = await storeLocation(context, flags);
    const done = await (await openMaintenance()).compact(location);
    if (program.opts<GlobalFlags>().json) printJson(context, done);
    else if (done.journal === 0) say(context, `${done.location} has an empty journal: nothing to compact.`);
    else say(context, `${done.location}: ${done.before} bytes became ${done.after}.`);
  });
}

export function addMigrate(store: Command, program: Program, context: Context): void {
  const command = addStoreFlags(store.command("migrate").description("upgrade a store to the newest format"));
  withHelp(command, {
    examples: [
      ["svc store migrate", "the store of svc serve in this directory"],
      ["SVC_STORE=postgres://db.example/svc svc store migrate", "a database, before its servers are upgraded"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes: "A server does that as it starts. A db.json is kept as it was beside it: db.json.format-2.bak.",
  }).action(async (flags: StoreFlags) => {
    const location = await storeLocation(context, flags);
    const done = await (await openMaintenance()).migrate(location, (message) => say(context, message));
    if (program.opts<GlobalFlags>().json) printJson(context, done);
    else if (done.from === done.to) say(context, `${done.location} has format ${done.to}: nothing to do.`);
    else say(context, `${done.location}: from format ${done.from} to ${done.to}.`);
  });
}

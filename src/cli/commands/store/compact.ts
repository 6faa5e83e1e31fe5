import type { Command } from "commander";
import { runs, withHelp } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { printJson, say } from "../../output/text.ts";
import { storeLocation } from "../serve/options.ts";
import { addStoreFlags, openMaintenance, type StoreOptions } from "./options.ts";

export function addCompact(store: Command, context: Context): void {
  const command = addStoreFlags(store.command("compact").description("compact the journal into db.json"));
  withHelp(command, {
    examples: [["svc store compact", "so that db.json has all records"]],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition],
    notes: "A server does this by itself, while it runs and when it stops.",
  });
  runs(command, (options: StoreOptions) => runCompact(context, options));
}

/** Compacts the journal of a file store. */
export async function runCompact(context: Context, options: StoreOptions): Promise<void> {
  const location = await storeLocation(context, options);
  const done = await (await openMaintenance(context)).compact(location);
  for (const warning of done.warnings) say(context, warning);
  if (options.json) printJson(context, done);
  else if (done.journal === 0) say(context, `${done.location} has an empty journal: nothing to compact.`);
  else say(context, `${done.location}: ${done.before} bytes became ${done.after}.`);
}

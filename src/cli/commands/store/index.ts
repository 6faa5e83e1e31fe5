import type { Migration } from "../../../server/index.ts";
import { runs, type Program } from "../../command.ts";
import type { Context, Surroundings } from "../../context.ts";
import { printJson, say } from "../../output/text.ts";
import { storeLocation } from "../serve/options.ts";
import { addCheck } from "./check.ts";
import { addCopy } from "./copy.ts";
import { addStoreFlags, openMaintenance, type StoreOptions } from "./options.ts";

export function add(program: Program, context: Surroundings): void {
  const store = program.command("store");
  addCheck(store, context);
  const migrate = addStoreFlags(store.command("migrate").description("upgrade a database to the newest schema"));
  runs(migrate, context, { on: "store", changes: true }, runMigrate, {
    examples: [
      ["SVC_STORE=postgres://db.example/svc svc store migrate", "a database, before its servers are upgraded"],
    ],
    notes: "A server does this when it starts.",
  });
  addCopy(store, context);
}

export async function runMigrate(context: Context, options: StoreOptions): Promise<void> {
  const location = await storeLocation(context, options);
  const done = await (await openMaintenance(context, options)).migrate(location);
  if (options.json) return printJson(context, done);
  say(context, `${done.location}${outcome(done)}`);
  if (done.trigrams === false)
    say(context, "The extension pg_trgm is missing, so a search for a part of a text reads every row.");
}

function outcome({ from, to, indexed, restored = [] }: Migration): string {
  if (from === 0) return `: created the schema svc, version ${to}.`;
  if (from !== to) return `: from version ${from} to ${to}.`;
  if (restored.length > 0) return `: put back ${restored.join(", ")}. It has version ${to} already.`;
  return indexed
    ? `: created the missing indexes. It has version ${to} already.`
    : ` has version ${to}: nothing to do.`;
}

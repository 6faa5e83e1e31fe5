import type { Command } from "commander";
import type { Maintenance } from "../../../server/index.ts";
import type { Flags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { say, quoted } from "../../output/text.ts";
import { CONFIG_OPTION } from "../serve/options.ts";

export type StoreOptions = Flags<"store" | "config">;

/** The flags that say which store is meant: the same as those of `svc serve`. */
export function addStoreFlags(command: Command): Command {
  return command
    .option("--store <path>", "the store; default: that of svc serve in this directory (SVC_STORE)")
    .option(...CONFIG_OPTION);
}

/** The flags that make another command mean the same store. An address is left out: a password may be in it. */
export function sameStore({ store, config }: StoreOptions): string {
  const flags = { store: store?.includes("://") ? undefined : store, config };
  return Object.entries(flags)
    .map(([name, value]) => (value === undefined ? "" : ` --${name} ${quoted(value)}`))
    .join("");
}

/** Loaded here, so that help starts fast. */
export async function openMaintenance(context: Context): Promise<Maintenance> {
  const { openMaintenance: open } = await import("../../../server/index.ts");
  return open((message) => say(context, message));
}

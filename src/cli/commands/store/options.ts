import type { Command } from "commander";
import type { Maintenance } from "../../../server/index.ts";
import type { Flags, GlobalFlags } from "../../command.ts";
import { findLocalServer, proved } from "../../connection/running-server.ts";
import { without } from "../../choices.ts";
import { isAtServer } from "../../connection/server-here.ts";
import type { RunningServerFile } from "../../connection/server-file.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT, UsageError } from "../../errors.ts";
import { note, quoted, writeLog } from "../../output/text.ts";
import { CONFIG_OPTION, storeLocation } from "../serve/options.ts";

export type StoreOptions = Flags<"store" | "config">;

/** The flags that say which store is meant: the same as those of `svc serve`. */
export function addStoreFlags(command: Command): Command {
  return command
    .option(
      "--store <path>",
      "the store; default: that of the server here, or of svc serve in this directory (SVC_STORE)",
    )
    .option(...CONFIG_OPTION);
}

/** The flags that make another command mean the same store. An address is left out: a password may be in it. */
export function sameStore({ store, config }: StoreOptions): string {
  const flags = { store: store?.includes("://") ? undefined : store, config };
  return Object.entries(flags)
    .map(([name, value]) => (value === undefined ? "" : ` --${name} ${quoted(value)}`))
    .join("");
}

/**
 * The store to read: the one that is named, else that of the server which runs here, else that of `svc serve` in this
 * directory. @returns also which of them it is, in words
 */
export async function takenStore(context: Context, options: StoreOptions): Promise<{ location: string; by: string }> {
  if (isNamed(context, options)) return { location: await storeLocation(context, options), by: "" };
  const local = await findLocalServer(context);
  const server = local?.server ?? local?.silent;
  refuseOtherServer(context, server);
  if (!server) return { location: await storeLocation(context, options), by: "" };
  const running = [server, ...(await proved(context, local!.older))];
  const stores = [...new Set(running.map(({ store }) => store))];
  if (stores.length > 1)
    throw new UsageError(
      `${running.length} servers run in this directory, with the stores ${stores.join(" and ")}.`,
      "Name one with --store.",
    );
  const { store, url } = server;
  if (store !== "memory") return { location: store, by: `, the store of the server at ${url}` };
  throw new CliError(
    EXIT.precondition,
    `The server at ${url} keeps its records in memory, where no other program can read them.`,
    "If you mean another store, name it with --store.",
  );
}

/** A shell that is set up for another server means the store of that one. */
function refuseOtherServer({ choices }: Context, server: RunningServerFile | undefined): void {
  const named = choices.base_url ?? choices.control_url;
  if (!named || (server && isAtServer(server, named.value))) return;
  throw new UsageError(
    `${named.source} names ${named.value}, and ${server ? `the server of this directory is ${server.url}` : "no server runs in this directory"}. Nothing was done.`,
    `Name the store with --store, or ${without(named.source)}.`,
  );
}

function isNamed({ env }: Context, { store, config }: StoreOptions): boolean {
  return [store, config, env["SVC_STORE"]].some(Boolean);
}

/** Loaded here, so that help starts fast. */
export async function openMaintenance(context: Context, flags: GlobalFlags): Promise<Maintenance> {
  const { openMaintenance: open } = await import("../../../server/index.ts");
  return open((message) => note(context, flags, "warn", message));
}

/** Says of a store that was filled what a server's log says of an import. For a person the result says it. */
export async function auditFilled(context: Context, { json }: GlobalFlags, count: number): Promise<void> {
  if (!json) return;
  const { withoutRequest } = await import("../../../server/index.ts");
  const entry = withoutRequest("store", { action: "records_imported", count });
  writeLog(context.stderr, context, { type: "audit", ...entry });
}

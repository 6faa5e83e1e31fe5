import { isFrontOf, originOf, without } from "../choices.ts";
import { isLoopbackUrl, portOf } from "../../http/address.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { findServerOn } from "./running-server.ts";
import type { RunningServerFile } from "./server-file.ts";
import { type Target } from "./sources.ts";
import { requireLocalServer, tellOfNeighbours } from "./target.ts";

/** What to do about a service whose control API is not known. */
export const OPERATOR =
  "For a service elsewhere, ask its operator to run this command, or for the SVC_CONTROL_URL and SVC_CONTROL_KEY of its control API.";

/** A server that runs on this machine, and what chose it. */
export interface ServerHere {
  readonly server: RunningServerFile;
  /** In words: `the server of this directory`, or the flag or variable that names it. */
  readonly by: string;
}

/**
 * The server of this machine at the address that is named, else the one that runs in this directory or above.
 * @param otherwise what to do about a server elsewhere
 */
export async function findServerHere(
  context: Context,
  explicit: Target,
  otherwise: string,
  none?: string,
): Promise<ServerHere> {
  const { base_url } = explicit;
  const name = base_url && nameOf(base_url.source, explicit);
  if (base_url && isLoopbackUrl(base_url.value)) {
    const server = await findServerOn(context, Number(portOf(base_url.value)));
    if (server) return { server, by: name! };
  }
  const local = await requireLocalServer(context, otherwise, none).catch((error: unknown) => {
    throw base_url ? notIts(undefined, name!, `names ${base_url.value}`, otherwise) : error;
  });
  const { server } = local;
  const by = "the server of this directory";
  if (base_url && !isAtServer(server, base_url.value))
    throw notIts({ url: server.url, by }, name!, `names ${base_url.value}`, otherwise);
  await tellOfNeighbours(context, local);
  return { server, by };
}

/** A server, as far as it is known. */
export interface Place {
  readonly url: string;
  readonly instances?: RunningServerFile["instances"] | undefined;
  readonly by?: string;
}

/** Whether an address is one of a server: its front door, or an instance of it. */
export function isAtServer({ url, instances }: Place, address: string): boolean {
  const [front, base] = [new URL(url), new URL(address)];
  if (base.host === front.host || base.host.endsWith(`.${front.host}`)) return true;
  return isFrontOf(url, address) || instances?.some((one) => originOf(one.url) === base.origin) === true;
}

/** The flag or variable that chose what a source names. */
export function nameOf(source: string, { profile }: Target): string {
  return source.startsWith("profile ") ? profile!.source : source;
}

/** A choice of another server than the one that would be asked. @param server that one, if one runs here */
export function notIts(
  server: Pick<Place, "url" | "by"> | undefined,
  name: string,
  what: string,
  otherwise: string,
): UsageError {
  const undo = without(name);
  return server
    ? new UsageError(
        `${name} ${what}, and ${server.by} is ${server.url}. Nothing was done.`,
        `For ${server.by}, ${undo}. ${otherwise}`,
      )
    : new UsageError(`${name} ${what}, and no server of this machine is there.`, `Check it, or ${undo}. ${otherwise}`);
}

import type { Fetch } from "../../wire/fetch.ts";
import type { Client } from "../../client/client.ts";
import { clientOptions, keyedClientOptions, type GlobalFlags } from "../config.ts";
import type { Context } from "../context.ts";

/** A client with a secret key. Loaded here, so that help costs no more than itself. */
export async function openClient(context: Context, flags: GlobalFlags): Promise<Client> {
  const [{ createClient }, options] = await Promise.all([
    import("../../client/client.ts"),
    keyedClientOptions(context, flags),
  ]);
  return createClient(options);
}

/** What the client asks with, for what is no endpoint. */
export async function openFetch(context: Context, flags: GlobalFlags): Promise<Fetch> {
  const [{ createFetch }, options] = await Promise.all([
    import("../../client/transport.ts"),
    clientOptions(context, flags),
  ]);
  return options.fetch ?? createFetch(options.certificate);
}

/** A client for what needs no secret key. */
export async function openKeylessClient(context: Context, flags: GlobalFlags): Promise<Client> {
  const [{ createClient }, options] = await Promise.all([
    import("../../client/client.ts"),
    clientOptions(context, flags),
  ]);
  return createClient(options);
}

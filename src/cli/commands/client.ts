import type { Fetch } from "../../wire/fetch.ts";
import type { Client, ClientOptions } from "../../client/client.ts";
import { clientOptions, keyedClientOptions, type GlobalFlags } from "../config.ts";
import type { Context } from "../context.ts";

/** A client with a secret key. */
export function openClient(context: Context, flags: GlobalFlags): Promise<Client> {
  return open(keyedClientOptions(context, flags));
}

/** A client for what needs no secret key. */
export function openKeylessClient(context: Context, flags: GlobalFlags): Promise<Client> {
  return open(clientOptions(context, flags));
}

/** What the client asks with, for what is no endpoint. */
export async function openFetch(context: Context, flags: GlobalFlags): Promise<Fetch> {
  const { fetch, certificate } = await clientOptions(context, flags);
  return fetch ?? (await import("../../client/transport.ts")).createFetch(certificate);
}

/** Loaded here, so that help costs no more than itself. */
async function open(choosing: Promise<ClientOptions>): Promise<Client> {
  const [{ createClient }, options] = await Promise.all([import("../../client/client.ts"), choosing]);
  const fetch = options.fetch ?? (await import("../http-fetch.ts")).createHttpFetch(options.certificate);
  return createClient({ ...options, fetch });
}

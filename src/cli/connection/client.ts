import type { Fetch } from "../../wire/fetch.ts";
import type { Client, ClientOptions } from "../../client/client.ts";
import { clientOptions, keyedClientOptions, optionsOf, type GlobalFlags } from "./client-options.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { resolveTarget, type Target } from "./target.ts";

/** A client with a secret key. */
export async function openClient(context: Context, flags: GlobalFlags): Promise<Client> {
  return openWith(await keyedClientOptions(context, flags));
}

/** A client for what needs no secret key. */
export async function openKeylessClient(context: Context, flags: GlobalFlags): Promise<Client> {
  return openWith(await clientOptions(context, flags));
}

/** What the client asks with, for what is no endpoint. */
export async function openFetch(context: Context, flags: GlobalFlags): Promise<Fetch> {
  return fetchOf(context, await resolveTarget(context, flags));
}

export async function fetchOf({ fetch }: Context, { server }: Target): Promise<Fetch> {
  return fetch ?? (await import("./http-fetch.ts")).createHttpFetch(server?.certificate);
}

/** Why there was no answer, in the system's word where there is one. */
export function reasonOf(error: unknown): string {
  const { cause, code, message } = error as { cause?: { code?: string }; code?: string; message?: string };
  return cause?.code ?? code ?? message ?? String(error);
}

/** No user has it. Asking for it tells a key that is accepted from one that is not, and reads nothing. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** @throws {CliError} where the service refuses the key; what the client throws where there is no answer */
export async function checkKey(
  context: Context,
  { base_url, secretKey }: { base_url: string; secretKey: string },
  { server }: Target = {},
): Promise<void> {
  const target = { base_url: { value: base_url, source: "--base-url" }, ...(server && { server }) };
  const client = await openWith({ ...optionsOf(context, target), secretKey });
  try {
    await client.users.find(NOBODY);
  } catch (error) {
    if ((error as { code?: string }).code !== "unauthorized") throw error;
    throw new CliError(
      EXIT.noKey,
      `${new URL(base_url).origin} refuses this key.`,
      "Is it whole, and of this instance?",
    );
  }
}

/** Loaded here, so that help costs no more than itself. */
export async function openWith(options: ClientOptions): Promise<Client> {
  const [{ createClient }, { createHttpFetch }] = await Promise.all([
    import("../../client/client.ts"),
    import("./http-fetch.ts"),
  ]);
  return createClient({ ...options, fetch: options.fetch ?? createHttpFetch(options.certificate) });
}

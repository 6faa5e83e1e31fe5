import type { Fetch } from "../../wire/fetch.ts";
import type { Client, ClientOptions } from "../../client/client.ts";
import { clientOptions, keyedClientOptions, optionsOf, type GlobalFlags } from "../config.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { resolveTarget, type Target } from "../target.ts";

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
  return fetchOf(context, await resolveTarget(context, flags));
}

export async function fetchOf({ fetch }: Context, { server }: Target): Promise<Fetch> {
  return fetch ?? (await import("../../client/transport.ts")).createFetch(server?.certificate);
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
  const { createClient } = await import("../../client/client.ts");
  const options = optionsOf(context, {
    base_url: { value: base_url, source: "--base-url" },
    ...(server && { server }),
  });
  try {
    await createClient({ ...options, secretKey }).users.find(NOBODY);
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
async function open(choosing: Promise<ClientOptions>): Promise<Client> {
  const [{ createClient }, options] = await Promise.all([import("../../client/client.ts"), choosing]);
  return createClient(options);
}

import type { Client, ClientOptions } from "../../client/client.ts";
import type { GlobalFlags } from "../command.ts";
import { optionsOf, requireEncryption, requireKey, timeoutMs } from "./client-options.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { resolveTarget } from "./target.ts";
import type { Target } from "./sources.ts";

/** A client with a secret key. */
export async function openClient(context: Context, flags: GlobalFlags): Promise<Client> {
  return openTarget(context, await resolveTarget(context, flags));
}

/** The same for a target that is already known. */
export async function openTarget(context: Context, target: Target): Promise<Client> {
  return openWith(context, { ...optionsOf(context, target), secretKey: await requireKey(context, target) }, target);
}

/** A client for calls that need no secret key. */
export async function openKeylessClient(context: Context, flags: GlobalFlags): Promise<Client> {
  const target = await resolveTarget(context, flags);
  return openWith(context, optionsOf(context, target), target);
}

/** No user has this id: a search for it tests a key without reading a user or logging a failure. */
const NO_USER = "id:00000000-0000-0000-0000-000000000000";

/** @throws {CliError} if the service refuses the key, and what the client throws if there is no response */
export async function verifyKeyWithService(
  context: Context,
  { base_url, secretKey }: { base_url: string; secretKey: string },
  { server }: Target = {},
): Promise<void> {
  const target = { base_url: { value: base_url, source: "--base-url" }, ...(server && { server }) };
  const client = await openWith(
    context,
    { ...optionsOf(context, target), secretKey: requireEncryption(context, target, secretKey) },
    target,
  );
  try {
    await client.users.search(NO_USER);
  } catch (error) {
    if ((error as { code?: string }).code !== "unauthorized") throw error;
    throw new CliError(
      EXIT.noKey,
      `${new URL(base_url).origin} refused this key.`,
      "Check that it is complete and belongs to this instance.",
      "unauthorized",
    );
  }
}

/** Imports the client when it is needed, so that help starts fast. */
export async function openWith(context: Context, options: ClientOptions, { server }: Target): Promise<Client> {
  const [{ createClientWith }, { fetchTransport }] = await Promise.all([
    import("../../client/client.ts"),
    import("../../client/transport.ts"),
  ]);
  const { network } = context;
  const reach = { certificate: server?.certificate, timeoutMs: timeoutMs(context) };
  const transport = fetchTransport((url, init) => network.send(url, init, reach));
  return createClientWith(() => ({ ...transport, patience: network.patience }), options);
}

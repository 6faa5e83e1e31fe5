import type { Connection } from "../providers/connections.ts";
import { exchangeCode, withDeadline, type ProviderReply } from "../sign-in/exchange.ts";
import { generateCodeVerifier } from "../sign-in/oauth2.ts";
import { BAD_CREDENTIALS } from "../sign-in/provider-errors.ts";
import { SignInError } from "../errors.ts";
import type { ControlDeps } from "./deps.ts";

/** Exchanges an invalid code. A provider that accepts the client rejects the code, otherwise it rejects the client. */
export async function testConnection(
  connection: Connection,
  { addresses }: ControlDeps,
): Promise<{ ok: boolean; message: string }> {
  const { name } = connection.provider;
  let refusal: string | undefined;
  const note = ({ body }: ProviderReply): void => {
    const error = (body as { error?: unknown } | null | undefined)?.error;
    refusal = typeof error === "string" ? error.slice(0, 100) : undefined;
  };
  try {
    const request = {
      code: "svc-connection-test",
      redirect_uri: addresses.callbackUrl(name),
      code_verifier: connection.provider.pkce ? generateCodeVerifier() : null,
    };
    await withDeadline((signal) =>
      exchangeCode({ connection, signal, onIgnored: () => undefined, onReply: note }, request),
    );
    return { ok: false, message: `${name} accepted a made-up code; it is not checking codes` };
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    // A provider that is down may answer with an error, too, and says nothing of the client.
    const isDown = error.code === "temporarily_unavailable";
    if (isDown || refusal === undefined || BAD_CREDENTIALS.has(refusal)) return { ok: false, message: error.message };
    return { ok: true, message: `${name} knows the client; it refused a made-up code, as it should (${refusal})` };
  }
}

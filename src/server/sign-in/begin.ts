import { STATE_LIFETIME_SECONDS, type Provider } from "../../wire/names.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { Connect } from "../providers/connections.ts";
import type { InstanceRecord } from "../store/records.ts";
import type { Store } from "../store/store.ts";
import { createBinding } from "./binding.ts";
import { authorizationUrl, generateCodeVerifier, generateState } from "./oauth2.ts";
import { checkRedirectUri } from "./redirect-uri.ts";
import type { StartLimit } from "./start-limit.ts";

export interface BeginDeps {
  readonly store: Store;
  readonly addresses: Addresses;
  readonly connect: Connect;
  readonly startLimit: StartLimit;
  /** Whether an instance without `redirect_uris` takes any. */
  readonly anyRedirectUri: boolean;
  now(): Date;
}

export interface BeginRequest {
  readonly instance: InstanceRecord;
  readonly provider: Provider;
  /** Where the application wants its user back. */
  readonly redirect_uri: string;
  readonly login_hint: string | undefined;
  readonly isBrowser: boolean;
  readonly ip_address: string;
}

/** The first half of a sign-in: remembers what is asked for, and says where at the provider it goes on. */
export async function beginSignIn(
  deps: BeginDeps,
  request: BeginRequest,
): Promise<{ location: string; cookie: string | undefined }> {
  const { instance, provider, redirect_uri, login_hint } = request;
  checkRedirectUri(redirect_uri, instance.redirect_uris, deps.anyRedirectUri);

  const connection = await deps.connect(instance, provider);
  deps.startLimit.begun(request.ip_address);
  const state = generateState();
  const code_verifier = connection.provider.pkce ? generateCodeVerifier() : null;
  const binding = request.isBrowser ? createBinding(state, deps.addresses.isHttps) : undefined;
  const now = deps.now();
  await deps.store.saveState({
    state,
    instance_id: instance.id,
    provider,
    redirect_uri,
    code_verifier,
    binding: binding?.hash ?? null,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + STATE_LIFETIME_SECONDS * 1000).toISOString(),
  });

  const callbackUrl = deps.addresses.callbackUrl(provider);
  return {
    location: authorizationUrl(connection, { redirect_uri: callbackUrl, state, code_verifier, login_hint }),
    cookie: binding?.cookie,
  };
}

import { SIGN_IN_ERRORS, type SignInErrorCode } from "../../wire/errors.ts";
import type { Provider } from "../../wire/names.ts";
import type { Addresses } from "../instances/addresses.ts";
import { SignInError } from "../errors.ts";
import type { LocateIp } from "./geo.ts";
import { isPlaceholderEmail, normalizeEmail, placeholderEmail } from "../providers/email.ts";
import type { Connect, Connection } from "../providers/connections.ts";
import type { Profile, ProviderDefinition } from "../providers/provider.ts";
import { displayName } from "../providers/reply.ts";
import type { InstanceRecord, StateRecord, UserRecord } from "../store/records.ts";
import { StorageUnavailable } from "../store/store.ts";
import { bearerGet, exchangeCode, providerDeadline, type Exchange, type ProviderTokens } from "./exchange.ts";
import { reportedCode } from "./refusal.ts";
import { openSession, resolveUser } from "./resolve-user.ts";
import { withParameters } from "./redirect-uri.ts";
import type { StartLimit } from "./start-limit.ts";
import { takeState, type TakeStateDeps, type TakeStateRequest } from "./take-state.ts";

const MAX_ADDRESS_LENGTH = 2048;
const WEB_ADDRESS = /^https?:\/\/[^\s\p{C}]+$/iu;

export interface CompleteDeps extends TakeStateDeps {
  readonly addresses: Addresses;
  readonly connect: Connect;
  readonly startLimit: StartLimit;
  readonly locate: LocateIp;
  issueToken(instance: InstanceRecord, user: UserRecord, provider: Provider, now: Date): Promise<string>;
  /** Told why a sign-in failed after its state was good. */
  onFailure(provider: Provider, error: SignInError): void;
  /** Told what a provider sent that could not be read, and that the sign-in went on without, by its path. */
  onIgnored?(provider: Provider, paths: readonly string[]): void;
}

export interface CallbackRequest extends TakeStateRequest {
  readonly code: string | undefined;
  /** The provider's own report that it will not send a code (RFC 6749, 4.1.2.1). */
  readonly error: string | undefined;
  readonly ip_address: string;
}

/**
 * The second half of a sign-in: from the provider's redirect to the address, at the application, that the user goes to.
 * @throws {SignInRefused} `invalid_state`; there is no address to trust then
 */
export async function completeSignIn(deps: CompleteDeps, request: CallbackRequest): Promise<string> {
  const { record, instance } = await takeState(deps, request);
  deps.startLimit.finished(request.ip_address);
  try {
    const connection = await deps.connect(instance, record.provider);
    const { profile, tokens } = await fetchProfile(deps, connection, record, request);
    const user = await saveSignIn(deps, instance, connection.provider, profile, tokens, request.ip_address);
    const token = await deps.issueToken(instance, user, record.provider, deps.now());
    return withParameters(record.redirect_uri, { token });
  } catch (error) {
    const failure = asSignInError(error);
    deps.onFailure(record.provider, failure);
    const parameters = { error: failure.code, error_description: SIGN_IN_ERRORS[failure.code] };
    return withParameters(record.redirect_uri, parameters, ["token"]);
  }
}

async function fetchProfile(
  { addresses, onIgnored }: CompleteDeps,
  connection: Connection,
  { provider, code_verifier }: StateRecord,
  { code, error }: CallbackRequest,
): Promise<{ profile: Profile & { email: string }; tokens: ProviderTokens }> {
  if (error !== undefined)
    throw new SignInError(reportedError(error), `${provider} reported ${reportedCode(error)} instead of a code`);
  if (!code) throw new SignInError("server_error", `${provider} sent neither a code nor an error`);
  const exchange: Exchange = {
    connection,
    signal: providerDeadline(),
    onIgnored: (paths) => onIgnored?.(provider, paths),
  };
  const redirect_uri = addresses.callbackUrl(provider);
  const tokens = await exchangeCode(exchange, { code, redirect_uri, code_verifier });
  const profile = await connection.provider.fetchProfile(bearerGet(exchange, tokens.access_token));
  return { profile: checkedProfile(profile, connection.provider), tokens };
}

function checkedProfile(profile: Profile, { name: provider }: ProviderDefinition): Profile & { email: string } {
  const { uid, email: sent, name, username, avatar_url } = profile;
  const email = normalizeEmail(sent ?? placeholderEmail(provider, uid));
  if (email === undefined || (sent !== null && isPlaceholderEmail(email)))
    throw new SignInError("server_error", `${provider} sent an e-mail address that can't be used`);
  return {
    ...profile,
    email,
    name: displayName(name) || null,
    username: displayName(username) || null,
    avatar_url: pictureAddress(avatar_url),
  };
}

/** As the provider sent it, where it is a web address. It is stored to be shown, and never fetched. */
function pictureAddress(text: string | null): string | null {
  return text !== null && text.length <= MAX_ADDRESS_LENGTH && WEB_ADDRESS.test(text) && URL.canParse(text)
    ? text
    : null;
}

async function saveSignIn(
  { store, locate, now }: CompleteDeps,
  instance: InstanceRecord,
  provider: ProviderDefinition,
  profile: Profile & { email: string },
  tokens: ProviderTokens,
  ip_address: string,
): Promise<UserRecord> {
  const context = { instance, provider, profile, tokens, now: now() };
  const place = { ip_address, geo_data: locate(ip_address) };
  const { user } = await store.completeSignIn({
    instance_id: instance.id,
    provider: provider.name,
    uid: profile.uid,
    email: profile.email,
    ip_address,
    resolveUser: (found) => resolveUser(context, found),
    openSession: (resolved, active) => openSession(context, place, resolved, active),
  });
  return user;
}

function reportedError(error: string): SignInErrorCode {
  if (error === "access_denied" || error === "temporarily_unavailable") return error;
  return "server_error";
}

function asSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  if (error instanceof StorageUnavailable)
    return new SignInError("temporarily_unavailable", error.message, { cause: error });
  return new SignInError("server_error", "unexpected", { cause: error });
}

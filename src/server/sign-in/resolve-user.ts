import { randomUUID } from "node:crypto";
import { PROVIDERS_WITHOUT_EMAIL, PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { SESSION_ID_PREFIX } from "../../wire/ids.ts";
import { SignInFailure } from "../errors.ts";
import {
  displayName,
  isOtherMailbox,
  isPlaceholderEmail,
  placeholderEmail,
  type ProviderProfile,
  type ProviderDefinition,
} from "../providers/provider.ts";
import { normalizeEmail } from "../../text/email.ts";
import { fold } from "../../text/fold.ts";
import {
  newRecord,
  type IdentityRecord,
  type InstanceRecord,
  type SessionRecord,
  type UserRecord,
} from "../store/records.ts";
import type { Cleared, Resolution, SignInLookup } from "../store/store.ts";
import type { ProviderTokens } from "../providers/exchange.ts";
import { urlFrom } from "../../http/address.ts";

export interface SignInContext {
  readonly instance: InstanceRecord;
  readonly provider: Pick<ProviderDefinition, "name" | "verifiesEmail">;
  readonly profile: CheckedProfile;
  readonly tokens: ProviderTokens;
  /** ISO 8601. */
  readonly now: string;
}

/**
 * The user who signs in (spec, "Sign-in user resolution"): the user of a known identity, an existing user with the same
 * e-mail address, or a new one.
 * @throws {SignInFailure} `email_not_verified` if another user has the address, and the provider passes it on unverified
 */
export function resolveUser(context: SignInContext, { known, sameEmail }: SignInLookup): Resolution {
  if (known)
    return { user: refreshed(context, known.user), identity: newIdentity(context, known.user, known.identity) };
  if (sameEmail) return link(context, sameEmail);
  const user = newUser(context);
  return { user, identity: newIdentity(context, user) };
}

/**
 * Links to the user with the same address, which is proved now. What of the user is not proved is removed: it may belong
 * to somebody who registered this address before its owner came.
 */
function link(context: SignInContext, { user, identities }: NonNullable<SignInLookup["sameEmail"]>): Resolution {
  const { provider, profile, now } = context;
  if (!isProof({ ...profile, provider: provider.name }))
    throw new SignInFailure(
      "email_not_verified",
      `${PROVIDER_TITLES[provider.name]} has not verified the e-mail address of this account, and another user has it. Only a verified address links an account to a user: the user must verify it there, or sign in as before.`,
    );
  const isProved = user.email_verified_at !== null || identities.some((identity) => proves(identity, user));
  const unproved = identities.filter(
    (identity) => !PROVIDERS_WITHOUT_EMAIL.includes(identity.provider) && !(isProved && identity.email_verified),
  );
  // The sessions of a user who has nothing but a provider without addresses are that account's, which stays.
  const isUnclaimed = !isProved && (user.password_digest !== null || identities.length === 0);
  const cleared: Cleared | undefined =
    unproved.length > 0 || isUnclaimed ? { identities: unproved.map(({ id }) => id), revoked_at: now } : undefined;
  const password_digest = isProved ? user.password_digest : null;
  return { user: { ...linked(context, user), password_digest }, identity: newIdentity(context, user), cleared };
}

/** Whether an account shows that its owner has the address: a placeholder is made of the account's own id. */
function isProof(account: Pick<IdentityRecord, "provider" | "uid" | "email" | "email_verified">): boolean {
  const { provider, uid, email, email_verified } = account;
  return email_verified || fold(email) === fold(placeholderEmail(provider, uid));
}

function proves(identity: IdentityRecord, user: UserRecord): boolean {
  return isProof(identity) && fold(identity.email) === fold(user.email);
}

function newUser({ instance, provider, profile, now }: SignInContext): UserRecord {
  return newRecord("users", {
    id: randomUUID(),
    instance_id: instance.id,
    email: profile.email,
    name: profile.name ?? profile.username ?? profile.email,
    avatar_url: profile.avatar_url,
    email_verified_at: provider.verifiesEmail ? now : null,
    created_at: now,
    updated_at: now,
  });
}

/** Takes over the name that the provider sent, and its picture or that there is none. The address does not change. */
function refreshed(context: SignInContext, user: UserRecord): UserRecord {
  const { name, avatar_url } = context.profile;
  return { ...verified(context, user), name: name ?? user.name, avatar_url };
}

/** A user keeps its name and picture when a new identity is linked. */
function linked(context: SignInContext, user: UserRecord): UserRecord {
  const { name, username, avatar_url } = context.profile;
  const given = user.name || (name ?? username ?? user.email);
  return { ...verified(context, user), name: given, avatar_url: user.avatar_url ?? avatar_url };
}

function verified({ provider, profile, now }: SignInContext, user: UserRecord): UserRecord {
  const verifies = provider.verifiesEmail && fold(profile.email) === fold(user.email);
  const email_verified_at = user.email_verified_at ?? (verifies ? now : null);
  return { ...user, email_verified_at, updated_at: now };
}

function newIdentity(
  { instance, provider, profile, tokens, now }: SignInContext,
  user: UserRecord,
  before?: IdentityRecord,
): IdentityRecord {
  // It keeps the address by which it proves the user's. Otherwise that one would be unproved again once it changes there.
  const { email, email_verified } = before && proves(before, user) ? before : profile;
  return newRecord("identities", {
    ...before,
    id: before?.id ?? randomUUID(),
    instance_id: instance.id,
    user_id: user.id,
    provider: provider.name,
    uid: profile.uid,
    email,
    email_verified,
    access_token: tokens.access_token,
    refresh_token: tokens.refresh_token ?? before?.refresh_token ?? null,
    token_expires_at: tokens.expires_in ? new Date(Date.parse(now) + tokens.expires_in * 1000).toISOString() : null,
    created_at: before?.created_at ?? now,
    updated_at: now,
  });
}

/** Renews the active session of the same user, provider and IP address, or creates one. */
export function openSession(
  { provider, now }: SignInContext,
  { ip_address, geo_data }: { ip_address: string; geo_data: Record<string, unknown> },
  user: UserRecord,
  active: SessionRecord | undefined,
): SessionRecord {
  // A clock that was set back must not move a session down the list.
  const last_signin_at = active && active.last_signin_at > now ? active.last_signin_at : now;
  const renewed = { name: user.name, email: user.email, geo_data, last_signin_at };
  if (active) return { ...active, ...renewed };
  return newRecord("sessions", {
    id: randomUUID(),
    session_id: `${SESSION_ID_PREFIX}${randomUUID()}`,
    instance_id: user.instance_id,
    user_id: user.id,
    provider: provider.name,
    ip_address,
    ...renewed,
    logged_in_at: now,
    created_at: now,
  });
}

const MAX_ADDRESS_LENGTH = 2048;
const WEB_ADDRESS = /^https?:\/\/[^\s\p{C}]+$/iu;

export type CheckedProfile = ProviderProfile & { readonly email: string };

/**
 * A profile in the form in which it is stored. Its address is the provider's, or the placeholder of one that has none.
 * @throws {SignInFailure} if its e-mail address can't be used
 */
export function checkedProfile(profile: ProviderProfile, provider: Provider): CheckedProfile {
  const { uid, email: sent, name, username, avatar_url } = profile;
  const title = PROVIDER_TITLES[provider];
  const email = normalizeEmail(sent ?? placeholderEmail(provider, uid));
  if (sent !== null && email !== undefined && isPlaceholderEmail(email))
    throw new SignInFailure(
      "email_not_verified",
      `${title} sent a placeholder instead of an e-mail address. The user must set one there.`,
    );
  if (email === undefined || (sent !== null && isOtherMailbox(sent, email)))
    throw new SignInFailure(
      "email_invalid",
      `${title} sent an e-mail address that can't be used. The user must set another one there.`,
    );
  return {
    ...profile,
    email,
    name: displayName(name) || null,
    username: displayName(username) || null,
    avatar_url: pictureAddress(avatar_url),
  };
}

/** As the provider sent it, if it is a web address. It is stored for display, and never fetched. */
function pictureAddress(text: string | null): string | null {
  return text !== null && text.length <= MAX_ADDRESS_LENGTH && WEB_ADDRESS.test(text) && urlFrom(text) !== undefined
    ? text
    : null;
}

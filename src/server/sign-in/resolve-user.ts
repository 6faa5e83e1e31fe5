import { randomUUID } from "node:crypto";
import { SESSION_ID_PREFIX } from "../../wire/names.ts";
import { SignInError } from "../errors.ts";
import { isPlaceholderEmail } from "../providers/email.ts";
import type { ProviderDefinition } from "../providers/provider.ts";
import { fold } from "../../wire/fold.ts";
import {
  newRecord,
  type IdentityRecord,
  type InstanceRecord,
  type SessionRecord,
  type UserRecord,
} from "../store/records.ts";
import type { SignInLookup } from "../store/store.ts";
import type { ProviderTokens } from "./exchange.ts";
import type { CheckedProfile } from "./profile.ts";

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
 * @throws {SignInError} `account_conflict` if another user has the address, and linking the two would not be safe
 */
export function resolveUser(
  context: SignInContext,
  { known, sameEmail }: SignInLookup,
): { user: UserRecord; identity: IdentityRecord } {
  if (known)
    return { user: refreshed(context, known.user), identity: newIdentity(context, known.user, known.identity) };
  if (!sameEmail) {
    const user = newUser(context);
    return { user, identity: newIdentity(context, user) };
  }
  if (!mayLink(context, sameEmail.user, sameEmail.identities)) {
    throw new SignInError("account_conflict", "the e-mail address belongs to another account that can't be linked");
  }
  return { user: linked(context, sameEmail.user), identity: newIdentity(context, sameEmail.user) };
}

/**
 * Linking by an unverified address would hand over the account. So the provider must have verified the address, and the
 * user's own address must be verified, unless the user has no way to sign in yet. A second account at the same provider
 * is assumed to be another person's.
 */
function mayLink(
  { provider, profile }: SignInContext,
  user: UserRecord,
  identities: readonly IdentityRecord[],
): boolean {
  const isVerified =
    user.email_verified_at !== null ||
    identities.some((identity) => identity.email_verified && fold(identity.email) === fold(user.email));
  const isUnclaimed = identities.length === 0 && user.password_digest === null;
  const isSecondAtProvider = identities.some((identity) => identity.provider === provider.name);
  return (
    profile.email_verified && (isVerified || isUnclaimed) && !isSecondAtProvider && !isPlaceholderEmail(profile.email)
  );
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

/** Takes over the name and picture that the provider sent. The address does not change. */
function refreshed(context: SignInContext, user: UserRecord): UserRecord {
  const { name, avatar_url } = context.profile;
  return { ...verified(context, user), name: name ?? user.name, avatar_url: avatar_url ?? user.avatar_url };
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
  return newRecord("identities", {
    ...before,
    id: before?.id ?? randomUUID(),
    instance_id: instance.id,
    user_id: user.id,
    provider: provider.name,
    uid: profile.uid,
    email: profile.email,
    email_verified: profile.email_verified,
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

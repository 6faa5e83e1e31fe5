import { normalizeEmail } from "../../wire/text/fold.ts";
import { PROVIDER_TITLES, type Provider } from "../../wire/providers.ts";
import { SignInError } from "../errors.ts";
import { isOtherMailbox, isPlaceholderEmail, placeholderEmail } from "../providers/email.ts";
import { type Profile, displayName } from "../providers/provider.ts";

const MAX_ADDRESS_LENGTH = 2048;
const WEB_ADDRESS = /^https?:\/\/[^\s\p{C}]+$/iu;

/** A profile with an address: the provider's, or the placeholder of one that has none. */
export type CheckedProfile = Profile & { readonly email: string };

/**
 * A profile in the form in which it is stored.
 * @throws {SignInError} if its e-mail address can't be used
 */
export function checkedProfile(profile: Profile, provider: Provider): CheckedProfile {
  const { uid, email: sent, name, username, avatar_url } = profile;
  const title = PROVIDER_TITLES[provider];
  const email = normalizeEmail(sent ?? placeholderEmail(provider, uid));
  if (sent !== null && email !== undefined && isPlaceholderEmail(email))
    throw new SignInError(
      "email_not_verified",
      `${title} sent a placeholder instead of an e-mail address. The user must set one there.`,
    );
  if (email === undefined || (sent !== null && isOtherMailbox(sent, email)))
    throw new SignInError(
      "server_error",
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
  return text !== null && text.length <= MAX_ADDRESS_LENGTH && WEB_ADDRESS.test(text) && URL.canParse(text)
    ? text
    : null;
}

import { PROVIDERS, type Provider } from "../../wire/names.ts";

const MAX_LENGTH = 254;
const ADDRESS = /^[^\s@\p{C}]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/iu;

/** For users of a provider that has no e-mail addresses: one that can never be delivered (RFC 2606). */
export function placeholderEmail(provider: Provider, uid: string): string {
  return `${uid.replaceAll("%", "%25").replaceAll("@", "%40")}@${placeholderDomain(provider)}`;
}

export function isPlaceholderEmail(email: string): boolean {
  const address = email.toLowerCase();
  return PROVIDERS.some((provider) => address.endsWith(`@${placeholderDomain(provider)}`));
}

/**
 * An e-mail address in the form in which it is kept, or undefined for text that is not one. Unicode's spelling variants
 * are resolved first: an address that only looks valid before (a full-width @) must not pass as another one after.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.normalize("NFKC");
  return email.length <= MAX_LENGTH && ADDRESS.test(email) ? email : undefined;
}

function placeholderDomain(provider: Provider): string {
  return `${provider}.invalid`;
}

const MAX_LENGTH = 254;
const ADDRESS = /^[^\s@\p{C}]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/iu;

/** Twitter names no e-mail address; its users get one that can never be delivered (RFC 2606). */
const PLACEHOLDER_DOMAIN = "twitter.invalid";

export function placeholderEmail(uid: string): string {
  return `${uid}@${PLACEHOLDER_DOMAIN}`;
}

export function isPlaceholderEmail(email: string): boolean {
  return email.toLowerCase().endsWith(`@${PLACEHOLDER_DOMAIN}`);
}

/**
 * An e-mail address in the form in which it is kept, or undefined where it is none. Unicode's spelling variants are
 * resolved first: an address that only looks valid before (a full-width @) must not pass as another one after.
 */
export function normalizeEmail(text: string): string | undefined {
  const email = text.normalize("NFKC");
  return email.length <= MAX_LENGTH && ADDRESS.test(email) ? email : undefined;
}

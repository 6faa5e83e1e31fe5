import { PROVIDERS, type Provider } from "../../wire/providers.ts";

/** For users of a provider that has no e-mail addresses: an undeliverable one (RFC 2606). */
export function placeholderEmail(provider: Provider, uid: string): string {
  return `${uid.replaceAll("%", "%25").replaceAll("@", "%40")}@${placeholderDomain(provider)}`;
}

/** Whether an address, in any case, has the domain of a placeholder. */
export function isPlaceholderEmail(email: string): boolean {
  const address = email.toLowerCase();
  return PROVIDERS.some((provider) => address.endsWith(`@${placeholderDomain(provider)}`));
}

function placeholderDomain(provider: Provider): string {
  return `${provider}.invalid`;
}

/**
 * Whether NFKC made of a sent address that of another mailbox: a mail server may tell `ſ` from `s` before the @, which
 * NFKC does not (RFC 6532, 3.1). Domains are compared without such differences anyway (UTS #46).
 * @param stored the same address in NFKC
 */
export function isOtherMailbox(sent: string, stored: string): boolean {
  return !sent.normalize("NFC").startsWith(stored.slice(0, stored.indexOf("@") + 1));
}

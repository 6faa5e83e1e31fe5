import { PROVIDERS, type Provider } from "../../wire/names.ts";

/** For users of a provider that has no e-mail addresses: an undeliverable one (RFC 2606). */
export function placeholderEmail(provider: Provider, uid: string): string {
  return `${uid.replaceAll("%", "%25").replaceAll("@", "%40")}@${placeholderDomain(provider)}`;
}

export function isPlaceholderEmail(email: string): boolean {
  const address = email.toLowerCase();
  return PROVIDERS.some((provider) => address.endsWith(`@${placeholderDomain(provider)}`));
}

function placeholderDomain(provider: Provider): string {
  return `${provider}.invalid`;
}

/** The providers a user can sign in through (spec, "What the service does"), and how people write their names. */
export const PROVIDER_TITLES = { google: "Google", github: "GitHub", twitter: "Twitter" } as const;
export type Provider = keyof typeof PROVIDER_TITLES;
export const PROVIDERS: readonly [Provider, ...Provider[]] = Object.keys(PROVIDER_TITLES) as [Provider, ...Provider[]];
/** Their accounts have no e-mail address; users get a placeholder instead. */
export const PROVIDERS_WITHOUT_EMAIL: readonly Provider[] = ["twitter"];
/** `password` occurs on sessions, `email` in the token claim; neither is a provider to sign in through. */
export const SESSION_PROVIDERS = [...PROVIDERS, "password"] as const;
export type SessionProvider = (typeof SESSION_PROVIDERS)[number];
export type TokenProvider = Provider | "email";

export function isProvider(value: unknown): value is Provider {
  return (PROVIDERS as readonly unknown[]).includes(value);
}

/** A word: anything else may be a secret, and is not repeated. */
const WORD = /^[a-z]{1,20}$/i;

export function unknownProvider(name: unknown): string {
  const not = typeof name === "string" && WORD.test(name) ? `, not "${name}"` : "";
  return `use one of ${PROVIDERS.join(", ")}${not}`;
}

export function isSessionProvider(value: unknown): value is SessionProvider {
  return (SESSION_PROVIDERS as readonly unknown[]).includes(value);
}

/** A provider's name as people write it. Other names, such as `password`, are returned unchanged. */
export function providerTitle(name: string): string {
  return isProvider(name) ? PROVIDER_TITLES[name] : name;
}

export function credentialVariables(provider: Provider): [id: string, secret: string] {
  const prefix = `SVC_${provider.toUpperCase()}_CLIENT`;
  return [`${prefix}_ID`, `${prefix}_SECRET`];
}

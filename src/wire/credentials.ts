import { PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "./names.ts";

export const CONTROL_KEY_PREFIX = "ctl_";

const KINDS: Readonly<Record<string, string>> = {
  [SECRET_KEY_PREFIX]: "a secret key",
  [PUBLISHABLE_KEY_PREFIX]: "a publishable key",
  [CONTROL_KEY_PREFIX]: "a control key",
  // `{"` in base64url.
  eyJ: "a token",
};

/** What a credential is, by its first characters, such as `a secret key`. Undefined if it is none of the service's. */
export function credentialKind(text: string): string | undefined {
  return Object.entries(KINDS).find(([prefix]) => text.startsWith(prefix))?.[1];
}

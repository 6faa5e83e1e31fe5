import { remember } from "../memory-use.ts";

/** Of redeemed codes and refresh tokens, and of consents, in each process. */
const MAX_SPENT = 10_000;

/** What is no longer good of what was issued, in this process. A family is all that came of one code. */
export function createSpent() {
  const used = new Map<string, true>();
  const revoked = new Map<string, true>();
  /** The accounts that have granted a client a refresh token, and of which family it is. */
  const consents = new Map<string, string>();
  return {
    isUsed: (id: string): boolean => used.has(id),
    use: (id: string): void => remember(used, id, true, MAX_SPENT),
    isRevoked: (family: string): boolean => revoked.has(family),

    /** The next consent is a first one again. */
    revoke(family: string): void {
      remember(revoked, family, true, MAX_SPENT);
      for (const [consent, own] of consents) if (own === family) consents.delete(consent);
    },

    hasConsent: (consent: string): boolean => consents.has(consent),
    consent: (consent: string, family: string): void => remember(consents, consent, family, MAX_SPENT),
  };
}

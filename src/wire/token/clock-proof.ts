/** What a caller chooses at random, so that no earlier answer proves anything. */
export const CLOCK_NONCE = /^[\w-]{22,64}$/;

/**
 * What the service signs with an instance's secret key (HMAC-SHA-256) to prove its time. It has spaces, as no token's signed
 * part can have.
 */
export function clockStatement(nonce: string, now: string): string {
  return `svc clock ${nonce} ${now}`;
}

/** The package's version: `npm run release` sets both. */
export const VERSION = "0.1.0";

/** How the package's programs introduce themselves (RFC 9110, 10.1.5). */
export function userAgent(part: "client" | "cli"): string {
  return `svc-identity/${VERSION} (${part})`;
}

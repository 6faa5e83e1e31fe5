import { PROVIDERS } from "../../../wire/providers.ts";

/** One instance with one user, who can sign in at every simulated provider. */
export async function seedFor(name: string, redirectUri: string | undefined): Promise<object> {
  const { RESERVED_SUBDOMAINS, seedPersona } = await import("../../../server/index.ts");
  const subdomain = subdomainFor(name, RESERVED_SUBDOMAINS);
  const email = `ada@${subdomain}.test`;
  return {
    instances: [
      {
        name,
        subdomain,
        default_provider: PROVIDERS[0],
        ...(redirectUri !== undefined && { redirect_uris: [redirectUri] }),
        users: [{ email, name: "Ada Lovelace", email_verified_at: "2026-01-05T09:00:00Z" }],
      },
    ],
    personas: [seedPersona("ada", "Ada Lovelace", email)],
  };
}

/** A DNS label (RFC 1035, 2.3.1) from a name in any script. */
function subdomainFor(name: string, reserved: readonly string[]): string {
  const label = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return label === "" || reserved.includes(label) ? "app" : label;
}

import { hash } from "node:crypto";
import { PROVIDERS } from "../../wire/providers.ts";
import type { PersonaRecord } from "../store/records.ts";
import { SIMULATED } from "./providers.ts";

/** Before the address in the id of an account whose provider has not verified it. */
const UNVERIFIED = "unverified:";

/** An account that is typed in on the picker. */
interface TypedAccount {
  readonly email: string;
  readonly name: string | null;
  readonly email_verified: boolean;
}

/** A persona with an account at every provider, the same one whenever the same address is typed in. Its id is the address. */
export function typedPersona({ email, name, email_verified }: TypedAccount): PersonaRecord {
  const id = typedId(email, email_verified);
  const number = hash("sha256", id, "buffer").readUIntBE(0, 5);
  const login = (email.split("@")[0] ?? "").replace(/[^A-Za-z0-9]+/g, "-") || `p${number}`;
  const person = { email, email_verified, login, number };
  const accounts = Object.fromEntries(
    PROVIDERS.map((provider) => [provider, SIMULATED[provider].accountFor(person)]),
  ) as PersonaRecord["accounts"];
  return { id, name, email, avatar_url: null, accounts };
}

export function typedId(email: string, email_verified: boolean): string {
  return `${email_verified ? "" : UNVERIFIED}${email.toLowerCase()}`;
}

/** A persona in a code: every process can recreate a typed one from it. @param id of one of the store */
export type PersonaReference = TypedAccount & { readonly id?: string };

export function referenceTo({ id, email, name }: PersonaRecord): PersonaReference {
  const email_verified = id !== typedId(email, false);
  return { email, name, email_verified, ...(id !== typedId(email, email_verified) && { id }) };
}

/** The name of an account for people: its id in the seed, or the address that was typed in. */
export function accountName(persona: PersonaRecord): string {
  return referenceTo(persona).id ?? persona.email;
}

/** What identifies an account at its provider: `sub` of OpenID Connect, otherwise `id`. Undefined without an account. */
export function uidOf(account: unknown): string | undefined {
  const { sub, id } = (account ?? {}) as { readonly sub?: string; readonly id?: string | number };
  return sub ?? id?.toString();
}

/** A persona as a seed has it, with an account at every provider. */
export function seedPersona(id: string, name: string, email: string): { id: string; name: string; email: string } {
  return { id, name, email, ...typedPersona({ email, name, email_verified: true }).accounts };
}

import { hash } from "node:crypto";
import { PROVIDERS } from "../../wire/providers.ts";
import type { PersonaRecord } from "../store/records.ts";
import { SIMULATED } from "./providers.ts";

/**
 * A persona with a verified account at every provider, the same one whenever the same address is typed in. Its id is the
 * address.
 */
export function typedPersona(email: string, name: string | null): PersonaRecord {
  const id = email.toLowerCase();
  const number = hash("sha256", id, "buffer").readUIntBE(0, 5);
  const login = (email.split("@")[0] ?? "").replace(/[^A-Za-z0-9]+/g, "-") || `p${number}`;
  const accounts = Object.fromEntries(
    PROVIDERS.map((provider) => [provider, SIMULATED[provider].accountFor({ email, login, number })]),
  ) as PersonaRecord["accounts"];
  return { id, name, email, avatar_url: null, accounts };
}

/** A persona in a code: every process can recreate a typed one from it. @param id of one of the store */
export type PersonaReference = Pick<PersonaRecord, "email" | "name"> & { readonly id?: string };

export function referenceTo({ id, email, name }: PersonaRecord): PersonaReference {
  return { email, name, ...(id !== email.toLowerCase() && { id }) };
}

/** What identifies an account at its provider: `sub` of OpenID Connect, otherwise `id`. Undefined without an account. */
export function uidOf(account: unknown): string | undefined {
  const { sub, id } = (account ?? {}) as { readonly sub?: string; readonly id?: string | number };
  return sub ?? id?.toString();
}

/** A persona as a seed has it, with an account at every provider. */
export function seedPersona(id: string, name: string, email: string): { id: string; name: string; email: string } {
  return { id, name, email, ...typedPersona(email, name).accounts };
}

import { hash } from "node:crypto";
import { PROVIDERS } from "../../wire/providers.ts";
import type { PersonaRecord } from "../store/records.ts";
import type { TypedPerson } from "./provider.ts";
import { SIMULATED } from "./providers.ts";

/** Prefixes of ids. */
const VERIFIED = "p";
const UNVERIFIED = "u";
const TYPED_ID = /^[pu]\d+$/;

/** An account that was typed in on the picker. Every process derives the same persona from it. */
export interface TypedAccount {
  readonly email: string;
  readonly name: string | null;
  readonly email_verified: boolean;
}

/** A persona with an account at every provider, the same one whenever the same address is typed in. */
export function typedPersona(account: TypedAccount): PersonaRecord {
  const person = personOf(account);
  const accounts = Object.fromEntries(
    PROVIDERS.map((provider) => [provider, SIMULATED[provider].accountFor(person)]),
  ) as PersonaRecord["accounts"];
  return { id: person.id, name: account.name, email: account.email, avatar_url: null, accounts };
}

function personOf({ email, email_verified }: TypedAccount): TypedPerson & { readonly id: string } {
  const digest = hash("sha256", `${email_verified ? "" : "unverified "}${email.toLowerCase()}`, "buffer");
  const number = digest.readUIntBE(0, 5);
  const id = `${email_verified ? VERIFIED : UNVERIFIED}${number}`;
  const login = (email.split("@")[0] ?? "").replace(/[^A-Za-z0-9]+/g, "-") || id;
  return { id, email, email_verified, login, number };
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

/** The name of an account for people: its id in the seed, or the address that was typed in. */
export function accountName(persona: PersonaRecord): string {
  const isTyped = TYPED_ID.test(persona.id) && typedPersona(typedAccount(persona)).id === persona.id;
  return isTyped ? persona.email : persona.id;
}

/** The typed account that a persona was derived from. */
export function typedAccount({ id, email, name }: Pick<PersonaRecord, "id" | "email" | "name">): TypedAccount {
  return { email, name, email_verified: !id.startsWith(UNVERIFIED) };
}

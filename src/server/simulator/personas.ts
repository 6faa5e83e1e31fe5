import { PROVIDERS } from "../../wire/providers.ts";
import { fold } from "../../text/fold.ts";
import { drawnFor } from "../../text/initials.ts";
import { remember } from "../memory-use.ts";
import { isPlaceholderEmail, placeholderEmail } from "../providers/provider.ts";
import type { PersonaRecord } from "../store/records.ts";
import { typedPersona, uidOf, type PersonaReference } from "./typed-account.ts";

/** Anyone who can reach the picker can type in an address. */
const MAX_TYPED = 1000;

interface PersonaQuery {
  /** Part of a name, an address or a login, ignoring case; empty for all. */
  readonly search: string;
  /** How many come before the page. */
  readonly from: number;
  readonly limit: number;
}

/** A person on the picker, and the text that a search looks in, made by the first one: most servers never get one. */
interface Row {
  readonly persona: PersonaRecord;
  text?: string;
}

/** The people that the simulated providers know: those of the store, and then the typed ones. */
export class Personas {
  #stored: readonly Row[] = [];
  #byId: ReadonlyMap<string, PersonaRecord> = new Map();
  #byAddress: ReadonlyMap<string, PersonaRecord> = new Map();
  /** Typed ones by id, the oldest first. */
  readonly #typed = new Map<string, Row>();

  constructor(personas: readonly PersonaRecord[]) {
    this.replace(personas);
  }

  /** Replaces the personas of the store. Typed ones stay. */
  replace(personas: readonly PersonaRecord[]): void {
    this.#stored = personas.map((persona) => ({ persona }));
    this.#byId = new Map(personas.map((persona) => [persona.id, persona]));
    // The first that has an address is found by it.
    this.#byAddress = new Map(
      personas.toReversed().flatMap((persona) => addressesOf(persona).map((address) => [address, persona])),
    );
  }

  first(fits: (persona: PersonaRecord) => boolean): PersonaRecord | undefined {
    return this.#stored.find(({ persona }) => fits(persona))?.persona;
  }

  get size(): number {
    return this.#stored.length + this.#typed.size;
  }

  /** By id, by any e-mail address, or by the placeholder of an account that has none, ignoring case. */
  find(hint: string): PersonaRecord | undefined {
    const address = hint.toLowerCase();
    return (
      this.#byId.get(hint) ??
      this.#byAddress.get(address) ??
      this.#typed.get(address)?.persona ??
      (isPlaceholderEmail(address) ? this.#findByPlaceholder(address) : undefined)
    );
  }

  #findByPlaceholder(address: string): PersonaRecord | undefined {
    const has = ({ persona }: Row): boolean =>
      PROVIDERS.some((name) => {
        const uid = uidOf(persona.accounts[name]);
        return uid !== undefined && placeholderEmail(name, uid) === address;
      });
    return (this.#stored.find(has) ?? [...this.#typed.values()].find(has))?.persona;
  }

  /** The persona of a reference, which may have been typed in at another process. */
  recall({ id, email, name }: PersonaReference): PersonaRecord {
    const stored = id === undefined ? undefined : this.#byId.get(id);
    return stored?.email === email ? stored : this.add(typedPersona(email, name));
  }

  /** Adds a typed one, and drops the oldest if there are too many. */
  add(persona: PersonaRecord): PersonaRecord {
    this.#typed.delete(persona.id);
    remember(this.#typed, persona.id, { persona }, MAX_TYPED);
    return persona;
  }

  /** One page of the personas that fit, or of a search among them, and whether others follow. */
  page({ search, from, limit }: PersonaQuery, fits: (persona: PersonaRecord) => boolean) {
    const wanted = searchable(search);
    const found: PersonaRecord[] = [];
    for (const row of [...this.#stored, ...this.#typed.values()]) {
      if (fits(row.persona) && contains(row, wanted)) found.push(row.persona);
      if (found.length > from + limit) break;
    }
    return { shown: found.slice(from, from + limit), hasMore: found.length > from + limit };
  }

  /** The name of an account's generated picture, which it has if it has no other: the id of the store's, and for a typed one the picture itself. */
  pictureName(persona: PersonaRecord): string {
    return this.#byId.has(persona.id) ? persona.id : drawnName(pictureOf(persona));
  }

  picture(name: string): Picture | undefined {
    const stored = this.#byId.get(name);
    return stored ? pictureOf(stored) : readDrawn(name);
  }
}

/** Whether a text, in searchable form, is in what the picker shows. The providers' account numbers are not. */
function contains(row: Row, wanted: string): boolean {
  if (wanted === "") return true;
  const { name, email, accounts } = row.persona;
  row.text ??= searchable([name ?? "", email, ...textsIn(accounts).filter((text) => /\D/.test(text))].join(" @"));
  return row.text.includes(wanted);
}

/** Text in the form that is compared: case-folded, on one line. */
function searchable(text: string): string {
  return fold(text).replaceAll("\n", " ");
}

/** All texts in the accounts, whatever their schema. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Every address that a persona has at any provider, in lower case. */
function addressesOf({ email, accounts }: PersonaRecord): string[] {
  return [email, ...textsIn(accounts).filter((text) => text.includes("@"))].map((address) => address.toLowerCase());
}

/** What is drawn for an account without a picture. */
export interface Picture {
  /** In degrees. */
  readonly hue: number;
  readonly initials: string;
}

/** The same as in the dashboard. */
export function pictureOf({ name, email }: Pick<PersonaRecord, "name" | "email">): Picture {
  return drawnFor(name ?? email);
}

/**
 * The picture itself, as a file name such as `~210-41-4c`. Pages of any site may show pictures: one that existed only for an
 * address that was typed in would tell them so.
 */
export function drawnName({ hue, initials }: Picture): string {
  const letters = Array.from(initials, (letter) => letter.codePointAt(0)!.toString(16));
  return `~${[hue, ...letters].join("-")}`;
}

function readDrawn(name: string): Picture | undefined {
  const [, hue, letters] = /^~(\d{1,3})((?:-[0-9a-f]{1,6}){1,6})$/.exec(name) ?? [];
  if (hue === undefined || letters === undefined) return undefined;
  const codes = letters
    .slice(1)
    .split("-")
    .map((code) => Number.parseInt(code, 16));
  const initials = codes.every((code) => code <= 0x10ffff) ? String.fromCodePoint(...codes) : "";
  return /^[\p{L}\p{N}\p{M}?]+$/u.test(initials) ? { hue: Number(hue), initials } : undefined;
}

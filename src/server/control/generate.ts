import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { setImmediate as turn } from "node:timers/promises";
import { PROVIDERS } from "../../wire/providers.ts";
import { SESSION_ID_PREFIX } from "../../wire/ids.ts";
import { namedUuid } from "./look-up.ts";
import { userRecordsOf, type SeedUser, type UserRecords } from "../seed/parse.ts";
import { Refusal } from "../errors.ts";
import type { InstanceRecord } from "../store/records.ts";
import { AlreadyExists, type Store } from "../store/store.ts";
import { DEFINITIONS } from "../providers/index.ts";
import { typedPersona, uidOf } from "../simulator/typed-account.ts";

const DOMAINS = ["example.com", "example.net", "example.org"];
const TWO_YEARS_MS = 2 * 365 * 24 * 3_600_000;
/** Of the sessions, this part is revoked. */
const REVOKED = 0.1;

/** Users of one write. Other requests are answered between two of them. */
const BATCH = 250;

/** What the users follow from. */
interface Source {
  readonly instance: InstanceRecord;
  readonly seed: number;
  readonly now: Date;
}

interface Generation extends Source {
  readonly users: number;
  /** Aborts when the server closes, which ends the generation. */
  readonly closing: AbortSignal;
}

/**
 * Adds generated users, each with an identity and a session.
 * @throws {Refusal} `conflict` if users of this seed exist already, `shutting_down`
 */
export async function generateUsers(store: Store, generation: Generation): Promise<void> {
  const { users, seed, closing } = generation;
  for (let done = 0; done < users; done += BATCH) {
    if (closing.aborted) throw new Refusal("storage_unavailable", `the server stops; ${done} users were added`);
    const batch = makeUpUsers(generation, done, Math.min(BATCH, users - done));
    await store.add(batch).catch((error: unknown) => {
      if (!(error instanceof AlreadyExists)) throw error;
      const added = done === 0 ? "" : ` ${done} users were added before it.`;
      throw new Refusal(
        "conflict",
        `users that seed ${seed} generates already exist.${added} Use another seed, such as ${seed + 1}`,
      );
    });
    await turn();
  }
}

/** The same seed and time make the same users, in one version of svc. */
function makeUpUsers(source: Source, from: number, count: number): UserRecords {
  const users = Array.from({ length: count }, (_, n) => makeUpUser(source, from + n));
  return userRecordsOf(users, source.instance, source.now);
}

function makeUpUser({ instance, seed, now }: Source, index: number): SeedUser {
  const name = `${instance.id} ${seed} ${index}`;
  const draw = createDraw(`person ${name}`);
  const person = makeUpPerson(index, draw);
  const age = draw.fraction() * TWO_YEARS_MS;
  const created_at = new Date(now.getTime() - age).toISOString();
  const last_signin_at = new Date(now.getTime() - draw.fraction() * age).toISOString();
  const provider = draw.one(PROVIDERS);
  // Unlike those of another seed in the same instance.
  const email = `${person.login}.${seed}-${index + 1}@${draw.one(DOMAINS)}`;
  // A sign-in with the address at the simulated provider is this user's.
  const account = typedPersona(email, null).accounts[provider];
  const session = {
    id: namedUuid(`session ${name}`),
    session_id: SESSION_ID_PREFIX + namedUuid(`session id ${name}`),
    provider,
    ip_address: [1 + draw.below(126), draw.below(256), draw.below(256), draw.below(256)].join("."),
    geo_data: {},
    logged_in_at: created_at,
    last_signin_at,
    revoked_at: draw.fraction() < REVOKED ? last_signin_at : null,
  };
  return {
    id: namedUuid(`user ${name}`),
    email,
    name: person.name,
    avatar_url: null,
    email_verified_at: DEFINITIONS[provider].verifiesEmail ? created_at : null,
    created_at,
    password_digest: null,
    identities: [{ id: namedUuid(`identity ${name}`), provider, uid: uidOf(account) ?? email }],
    sessions: [session],
  };
}

/**
 * A language of `fixtures/names.json`: given and family names in their own script, with the spelling in Latin letters behind
 * a slash where that is not the name without its accents, and their order, such as `given family`.
 */
interface Language {
  readonly order: string;
  readonly given: readonly string[];
  readonly family: readonly string[];
}

/** Several scripts, so that an application meets them in a test and not in production first. */
const LANGUAGES = createRequire(import.meta.url)("svc-identity/fixtures/names.json") as readonly Language[];

/** Made-up people take turns in their languages. `login` is the name in Latin letters without accents, for an address. */
function makeUpPerson(index: number, draw: Draw): { name: string; login: string } {
  const { order, given, family } = LANGUAGES[index % LANGUAGES.length]!;
  const [first, last] = [spellings(draw.one(given)), spellings(draw.one(family))];
  const name = order.replace("given", first.own).replace("family", last.own);
  return { name, login: `${first.latin}.${last.latin}` };
}

function spellings(word: string): { own: string; latin: string } {
  const [own = "", latin = withoutAccents(own)] = word.split("/");
  return { own, latin };
}

function withoutAccents(name: string): string {
  const letters = name.normalize("NFD").replaceAll(/[^A-Za-z]/g, "");
  return letters.toLowerCase();
}

type Draw = ReturnType<typeof createDraw>;

/** Numbers that follow from a name: the same name draws the same ones. Good for some fifteen of them. */
function createDraw(name: string) {
  const bytes = hash("sha512", name, "buffer");
  let drawn = 0;
  const fraction = (): number => bytes.readUInt32BE(4 * drawn++) / 2 ** 32;
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    /** From 0 to below 1. */
    fraction,
    /** From 0 to below a limit. */
    below,
    one: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
  };
}

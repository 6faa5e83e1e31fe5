// Below the faces: the same test runs on each store.

import { afterAll, inject } from "vitest";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import type { Store } from "../../src/server/store/store.ts";
import type { Provider } from "../../src/wire/providers.ts";
import { useEmptiedStore } from "../postgres/_store.ts";
import { decodePart, SEED, setup, type Service } from "../_setup.ts";

export const EMAIL = "ada@acme.test";
export const VERIFIED_AT = "2026-01-05T09:00:00.000Z";
export const INSTANCE = SEED.instances[0]!;

/** The kinds of stores that this run tries: `npm test` tries those in memory, `npm run test:postgres` the others. */
export const STORES = inject("stores");

/** Opens an empty store before each call, and closes the previous one. To be called in a `describe`. */
export function useEmptyStore(name: "memory" | "postgres"): () => Promise<Store> {
  if (name === "postgres") return useEmptiedStore(() => {});
  let store: Store | undefined;
  afterAll(() => store?.close());
  return async () => {
    await store?.close();
    return (store = openMemoryStore());
  };
}

/** An instance with these users and personas. */
export function setupWith(users: object[], personas: object[], store?: Store): Promise<Service> {
  const seed = { instances: [{ ...INSTANCE, users }], personas };
  return setup(store ? { seed, store } : { seed });
}

/** A person whose address both google and github have verified. */
export function person(number: number, email = `p${number}@acme.test`): { id: string; name: string; email: string } {
  const accounts = {
    google: { sub: `${1000 + number}`, email_verified: true },
    github: { id: 1000 + number, login: `p${number}`, emails: [{ email, primary: true, verified: true }] },
  };
  return { id: `p${number}`, name: `Person ${number}`, email, ...accounts };
}

/** The result of a sign-in: the token's `sub`, or the error. */
export async function outcome(service: Service, provider: Provider, as: string): Promise<string> {
  const { searchParams } = await service.signIn(provider, as);
  const token = searchParams.get("token");
  return token === null ? searchParams.get("error")! : String(decodePart(token, 1)["sub"]);
}

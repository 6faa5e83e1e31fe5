import type { Client } from "../../../client/client.ts";
import { fold } from "../../../wire/text/fold.ts";
import type { User } from "../../../wire/resources.ts";

/** What one search asks for: fewer terms than the service takes, in an address that proxies let through. */
const TERMS = 100;
const CHARACTERS = 4_000;

/**
 * Finds users by id or by e-mail address, many with each request.
 * @returns the users with one of the values, in which case does not matter
 */
export async function lookUp(
  client: Client,
  field: "id" | "email",
  values: readonly string[],
): Promise<(value: string) => readonly User[]> {
  const found = new Map<string, User[]>();
  for (const query of queries(field, values))
    for await (const user of client.users.search(query)) {
      const key = fold(field === "id" ? user.id : user.data.email);
      found.set(key, [...(found.get(key) ?? []), user]);
    }
  return (value) => found.get(fold(value)) ?? [];
}

function* queries(field: string, values: readonly string[]): Generator<string> {
  let terms: string[] = [];
  let length = 0;
  for (const value of new Set(values.map(fold))) {
    const term = `${field}:${value}`;
    if (terms.length === TERMS || length + term.length > CHARACTERS) {
      yield terms.join(" ");
      [terms, length] = [[], 0];
    }
    terms.push(term);
    length += term.length + 1;
  }
  if (terms.length > 0) yield terms.join(" ");
}

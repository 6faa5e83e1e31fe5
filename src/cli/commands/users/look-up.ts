import type { Client } from "../../../client/client.ts";
import type { User } from "../../../wire/resources.ts";
import { storedForm } from "../../../text/email.ts";
import { fold } from "../../../text/fold.ts";
import { CliError, EXIT } from "../../errors.ts";
import type { Context } from "../../context.ts";
import { quoted, say } from "../../output/text.ts";
import { few } from "../../../text/suggestion.ts";

/**
 * The only one of the users with an e-mail address.
 * @param outcome what a failure means for what was to be done, such as ` No users were deleted.`
 * @throws {CliError} if none has it, or several do
 */
export function onlyOne([user, ...others]: readonly User[], email: string, outcome = ""): User {
  if (!user)
    throw new CliError(
      EXIT.notFound,
      `No user has the e-mail address ${email}.${outcome}`,
      `It may be another by now. Sessions keep the address of their sign-in: svc sessions search --email ${quoted(email)}`,
      "user_not_found",
    );
  if (others.length > 0)
    throw new CliError(
      EXIT.failed,
      `${others.length + 1} users have the e-mail address ${email}.${outcome}`,
      `List them with: svc users search --email ${quoted(email)}`,
    );
  return user;
}

/** Names those of a list that were not found. */
export function sayNotFound(context: Context, missing: readonly string[], count: number): void {
  if (missing.length === 0) return;
  say(context, `${missing.length} of ${count} not found: ${few(missing, 10)}.`);
}

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
  return (value) => found.get(fold(field === "id" ? value : storedForm(value))) ?? [];
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

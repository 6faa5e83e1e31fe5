import { SESSION_FIELDS } from "../../wire/fields.ts";
import { fieldHint } from "../../wire/query-hint.ts";
import type { Searched } from "./flags.ts";

/** Of a term of a query, its field. A `:` or a comparison ends it. */
const FIELD = /^-?([a-z][a-z0-9_]*)[:<>]/;

/**
 * What is probably meant by a field that is not one of these, or undefined where nothing is near.
 * @param searchSessions how to ask for a field of sessions instead
 */
export function unknownFieldHint(
  query: string,
  { fields, noun }: Searched,
  searchSessions = (term: string): string => `svc sessions search '${term}'`,
): string | undefined {
  for (const term of query.split(" ")) {
    const field = FIELD.exec(term)?.[1];
    if (field === undefined || Object.hasOwn(fields, field)) continue;
    if (noun === "users" && Object.hasOwn(SESSION_FIELDS, field))
      return `Sessions have this field. Use: ${searchSessions(term)}`;
    return fieldHint(field, fields);
  }
  return undefined;
}

/** The service's refusal of a search, with what is probably meant where it does not know a field. */
export function withFieldHint(error: unknown, query: string, searched: Searched): unknown {
  const { code, message = "" } = error as { code?: string; message?: string };
  if (code !== "invalid_query" || !message.includes("unknown field")) return error;
  return Object.assign(error as Error, { hint: unknownFieldHint(query, searched) });
}

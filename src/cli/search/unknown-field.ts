import { SESSION_FIELDS } from "../../wire/fields.ts";
import { fieldHint } from "../../wire/query-hint.ts";
import type { Searched } from "./flags.ts";

/** The field of a term. A `:` or a comparison ends it. */
const FIELD = /^-?([a-z][a-z0-9_]*)[:<>]/;

/**
 * The field that was probably meant by the first unknown one of a query, or undefined.
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

/** The service's refusal of a search, with the field that was probably meant if the query has an unknown one. */
export function withFieldHint(error: unknown, query: string, searched: Searched): unknown {
  if ((error as { code?: string }).code !== "invalid_query") return error;
  return Object.assign(error as Error, { hint: unknownFieldHint(query, searched) });
}

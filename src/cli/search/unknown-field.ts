import { SESSION_FIELDS } from "../../wire/search/fields.ts";
import { fieldHint } from "../../wire/search/query-words.ts";
import { shellQuoted } from "../../wire/text/shell.ts";
import type { Searched } from "./flags.ts";

/** The field of a term. A `:` or a comparison ends it. */
const FIELD = /^-?([a-z][a-z0-9_]*)[:<>]/;

/** An account at a provider is not a column of the users. */
const ACCOUNT =
  "The service does not search for accounts at a provider. A twitter user has the account's id in the address: email:<id>@twitter.invalid. For others ask the operator: svc store export";

/** What the service has and does not search for, and what to do instead. */
const NOT_SEARCHED: Readonly<Record<Searched["noun"], Readonly<Record<string, string>>>> = {
  users: {
    email_verified:
      "It is shown, but can't be searched for. Use: -email_verified_at:null, or email_verified_at:null for the others",
    providers: "It is shown, but can't be searched for. Use: provider:github",
    uid: ACCOUNT,
    login: ACCOUNT,
    username: ACCOUNT,
  },
  sessions: {
    geo_data: "It is shown, but can't be searched for. Use: ip_address",
    uid: ACCOUNT,
    login: ACCOUNT,
    username: ACCOUNT,
  },
};

/** The field that was probably meant by the first unknown one of a query, or undefined. */
export function unknownFieldHint(query: string, { fields, noun }: Searched): string | undefined {
  for (const term of query.split(" ")) {
    const field = FIELD.exec(term)?.[1];
    if (field === undefined || Object.hasOwn(fields, field)) continue;
    if (Object.hasOwn(NOT_SEARCHED[noun], field)) return NOT_SEARCHED[noun][field];
    if (noun === "users" && Object.hasOwn(SESSION_FIELDS, field))
      return `Sessions have this field. Use: svc sessions search ${shellQuoted(term)}`;
    return fieldHint(field, fields);
  }
  return undefined;
}

/** The service's refusal of a search, with the field that was probably meant if the query has an unknown one. */
export function withFieldHint(error: unknown, query: string, searched: Searched): unknown {
  if ((error as { code?: string }).code !== "invalid_query") return error;
  return Object.assign(error as Error, { hint: unknownFieldHint(query, searched) });
}

import { PROVIDERS, SESSION_PROVIDERS } from "../../wire/providers.ts";
import { printTerm, termsIn, type Query, type Term } from "../../wire/search/query.ts";
import { SESSION_FIELDS } from "../../wire/search/fields.ts";
import { fieldHint, termHint } from "../../wire/search/query-words.ts";
import { shellQuoted } from "../../text/shell.ts";
import { isUuid } from "../../wire/ids.ts";
import { normalizeEmail } from "../../text/email.ts";
import { UsageError } from "../errors.ts";
import { quoted } from "../output/text.ts";
import type { Searched } from "./flags.ts";

/** What a person is told of a search without results, and what may be wrong with it. */
export function nothingFound({ query = [] }: { readonly query?: Query | undefined }, searched: Searched): string {
  return [`No ${searched.noun} match.`, emptyResultHint(query, searched)].filter(Boolean).join(" ");
}

/** Other programs take it for a wildcard, and a script would take the empty answer for the truth. */
export function literalWildcard(query: Query): string | undefined {
  const term = termsIn(query).find(({ operator, value }) => operator === "is" && value.slice(1, -1).includes("*"));
  return term && `"${printTerm(term)}": * is a wildcard only at the start or the end of a value.`;
}

function emptyResultHint(query: Query, { noun }: Searched): string | undefined {
  const providers: readonly string[] = noun === "users" ? PROVIDERS : SESSION_PROVIDERS;
  if (literalWildcard(query) !== undefined) return undefined;
  for (const { field, operator, value } of termsIn(query)) {
    if (field.endsWith("user_id") && value.includes("@"))
      return `user_id takes an id, and "${value}" is an e-mail address. Use: svc ${noun} search email:${value}`;
    if (field === "provider" && operator === "is" && !providers.includes(value))
      return noun === "users" && value === "password"
        ? "Users who have no provider: provider:null. Sign-ins by password: svc sessions search provider:password"
        : `"${value}" is not a provider. They are ${providers.join(", ")}.`;
    if (/^".*"$/.test(value)) return `Quotes are a part of the value. Without them: ${field}:${value.slice(1, -1)}`;
    if (field === "ip_address" && value.includes("/")) return `For a network: svc sessions search --ip ${value}`;
    if (field === "email" && operator === "ends" && /^@[^.]+$/.test(value))
      return `"*${value}" matches addresses that end in exactly ${value}. A domain has a dot: *${value}.com`;
    if (field === "email" && operator === "is" && !/.@./.test(value))
      return `"email:${value}" matches the whole address. To find a part of it: email:*${value}*`;
    if (field === "name" && operator === "is")
      return `"name:${value}" matches the whole name. To find a part of it: name:*${value}*`;
    if (/(?:^|_)id$/.test(field) && operator === "is" && /^(?:svc_session_)?[0-9a-f]{8}…?$/i.test(value))
      return `"${value}" is a shortened id. Write ${field}:${value.replace("…", "")}*`;
    const part = field === "name" ? lessOf(value) : undefined;
    if (part !== undefined) return `Accents and apostrophes count. Fewer letters find more: name:*${part}*`;
  }
  return undefined;
}

/** A part of a name that is left without the letters that others may write with an accent or as another letter. */
function lessOf(value: string): string | undefined {
  const [longest = ""] = value.split(/['’`´-]|ss|ae|oe|ue/i).toSorted((a, b) => b.length - a.length);
  const part = longest === value ? value.replace(/[aeiou][^aeiou]*$/i, "") : longest;
  return part.length >= 2 && part !== value ? part : undefined;
}

/** How terms are written, below a search's flags. */
export const SEARCH_NOTES = ({ fields }: Searched): string => `Fields: ${Object.keys(fields).join(", ")}.

A term is field:value with * at either end, or a date compared with > >= < <=. -term excludes what matches. Quote terms with
* or >, which the shell would interpret. More: svc help query`;

/** A term as it is typed in a shell. */
export function printQuoted(term: Term): string {
  return quoted(printTerm(term));
}

/** An account at a provider is not a column of the users. */
const ELSEWHERE =
  "The service does not search for accounts at a provider. A twitter user has the account's id in the address: email:<id>@twitter.invalid. For others ask the operator: svc store export";

const ACCOUNTS = { uid: ELSEWHERE, login: ELSEWHERE, username: ELSEWHERE };
const STATE = "Use: active:true, or active:false for those that were revoked";
const DOMAIN = { domain: "Use: email:*@acme.test, with the domain behind the @" };

/** What the service has and does not search for, and what to do instead. */
const NOT_SEARCHED: Readonly<Record<Searched["noun"], Readonly<Record<string, string>>>> = {
  users: {
    email_verified:
      "It is shown, but can't be searched for. Use: -email_verified_at:null, or email_verified_at:null for the others",
    providers: "It is shown, but can't be searched for. Use: provider:github",
    ...DOMAIN,
    ...ACCOUNTS,
  },
  sessions: {
    geo_data: "It is shown, but can't be searched for. Use: ip_address",
    revoked: STATE,
    status: STATE,
    ...DOMAIN,
    ...ACCOUNTS,
  },
};

/** What others call the fields; the first that a record has is meant. */
const CALLED: readonly (readonly [words: RegExp, ...fields: string[]])[] = [
  [/^(?:e_?)?mail(?:_?address)?$|^address$/, "email"],
  [/^(?:full|first|last|given|family|display|nick)_?name$/, "name"],
  [/^(?:created?|signed_?up|signup|registered|joined)(?:_(?:on|date|time))?$/, "created_at"],
  [/^(?:updated?|modified|changed)(?:_(?:at|on))?$/, "updated_at"],
  [/^verified(?:_at)?$/, "email_verified_at"],
  [/^(?:picture|avatar|image|photo)$/, "avatar_url"],
  [/^(?:idp|connection|strategy|via)$/, "provider"],
  [/^(?:user|user_?id|sub|uuid)$/, "user_id", "id"],
  [/^ip(?:_?addr)?$|^(?:remote|client)_ip$/, "ip_address"],
  [/^(?:last_?)?(?:login|log_?in|sign_?in|signed_in|seen)(?:_at)?$/, "last_signin_at"],
];

function namesOf(field: string): readonly string[] {
  const [, ...names] = CALLED.find(([words]) => words.test(field)) ?? [undefined, field];
  return names;
}

/** What to use instead of a field that is not searched for. @param text the search, in which it is the first such */
export function unknownFieldHint(field: string, text: string, { fields, noun }: Searched): string | undefined {
  if (Object.hasOwn(NOT_SEARCHED[noun], field)) return NOT_SEARCHED[noun][field];
  const called = namesOf(field);
  const term = text.split(" ").find((one) => one.replace(/^-/, "").split(/[:<>]/)[0] === field)!;
  if (term.includes("@") && called.includes("id")) return `Did you mean ${quoted(term.replace(field, "email"))}?`;
  const own = called.find((one) => Object.hasOwn(fields, one));
  if (own !== undefined) return `Did you mean "${own}"?`;
  const theirs = called.find((one) => Object.hasOwn(SESSION_FIELDS, one));
  if (theirs === undefined) return fieldHint(field, fields);
  return `Sessions have this field. Use: svc sessions search ${shellQuoted(term.replace(field, theirs))}`;
}

/** What the shell probably did to a term with a comparison. */
const REDIRECTED = "Your shell probably took a > or < for itself; delete the file that it made here.";
const WORDS = new Set(["AND", "OR", "NOT", "&&", "||"]);

/**
 * Says what is wrong with a word that is not a term.
 * @param all the terms as they were given
 */
export function notATerm(word: string, searched: Searched, all: readonly string[]): UsageError {
  const { fields } = searched;
  const field = namesOf(word).find((one) => Object.hasOwn(fields, one)) ?? "";
  if (fields[field]?.type === "datetime")
    return new UsageError(`"${word}" has no operator. ${REDIRECTED}`, `Quote the term: '${field}>=2026-01-01'`);
  if (Object.hasOwn(fields, word)) return new UsageError(`"${word}" has no value.`, `Write ${word}:value.`);
  if (/^\*+$/.test(word))
    return new UsageError(`"${word}" is not a search term.`, `To list all: svc ${searched.noun} list`);
  if (word === "TO" || word.includes("["))
    return new UsageError(
      `"${word}" is not a search term.`,
      "A range is two terms: 'created_at>=2026-01-01' 'created_at<2026-02-01'",
    );
  if (word.startsWith("!")) return new UsageError(`"${word}": ! does not negate a term.`, `Write -${word.slice(1)}.`);
  if (WORDS.has(word))
    return new UsageError(
      `"${word}" is not a search term.`,
      "Different fields are combined with AND, values of one field with OR. For NOT, write -term.",
    );
  return new UsageError(
    `"${word}" is not a search term. Write field:value, such as email:*@acme.test. A value cannot contain a space.`,
    wordHint(word, searched, all),
  );
}

/** How to search for words without a field. */
function wordHint(word: string, { fields, noun }: Searched, all: readonly string[]): string {
  const at = all.indexOf(word);
  const [, first] = /^name:(.+)$/.exec(all[at - 1] ?? "") ?? [];
  const behind = all.slice(at).findIndex((other) => /[:<>=]/.test(other));
  const words = all.slice(at, behind < 0 ? undefined : at + behind);
  const name = [...(first === undefined ? [] : [first]), ...words].map((text) => text.replace(/^["'*]+|["'*]+$/g, ""));
  if (normalizeEmail(word) !== undefined)
    return `Use: svc ${noun} ${noun === "users" ? "get" : "search --user"} ${quoted(word)}`;
  if (name.length > 1) return `To find a name of several words: svc ${noun} search --name ${quoted(name.join(" "))}`;
  if (!/^[\w.+-]+$/.test(word) || isUuid(word.toLowerCase())) return termHint(word, fields, printQuoted);
  const within = (field: string): string => printQuoted({ field, operator: "contains", value: word, negated: false });
  return `To find a name: svc ${noun} search --name ${quoted(word)}. An address: svc ${noun} search ${within("email")}`;
}

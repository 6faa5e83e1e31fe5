import type { Field, Fields } from "./fields.ts";
import { storedForm } from "../../text/email.ts";
import { isDay } from "../../text/time.ts";

/**
 * One term of a search, e.g. `-email:*@acme.com`. `value` is as it was written, without wildcards; timestamps have the
 * form `2026-01-31T23:59:59.000Z`. `on` is a date that matches its whole UTC day; `null` is the absence of a value; a
 * boolean is `true` or `false`.
 */
export type Term =
  | { readonly field: string; readonly operator: ValueOperator; readonly value: string; readonly negated: boolean }
  | { readonly field: string; readonly operator: ComparisonOperator; readonly value: string; readonly negated: false };

type ValueOperator = "is" | "starts" | "ends" | "contains" | "on" | "null";
type ComparisonOperator = ">" | "<" | ">=" | "<=";

/**
 * All of one field's terms: a value matches if (any of `values`, or the whole `range`) and none of `excluded`. Where a
 * record has several values, each of them is compared: it matches if one is wanted and none is excluded.
 */
export interface Clause {
  readonly field: string;
  /** The column of the value: the field's own, or the one that a boolean is read from. */
  readonly column: string;
  /** The table of the column, if it is not the one that is searched. A record without rows there has a null. */
  readonly of?: Field["of"];
  readonly type: Field["type"];
  /** Comparisons too, unless they form a range. */
  readonly values: readonly Term[];
  /** The lower and the upper bound of a range; otherwise empty. */
  readonly range: readonly Term[];
  readonly excluded: readonly Term[];
}

/** A parsed search. A record matches if every clause does. */
export type Query = readonly Clause[];

/** Says what is wrong with a search and what to write instead. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  /** Where: a word that is not a term, a field that does not exist, or one whose date is invalid. */
  readonly at: Partial<Readonly<Record<"word" | "unknownField" | "dateOf", string>>>;

  constructor(message: string, at: QueryError["at"] = {}) {
    super(message);
    this.at = at;
  }
}

const MAX_BYTES = 8192;
const MAX_TERMS = 256;

const TERM = /^(-?)([^:<>=]*)(>=|<=|:|>|<)(.*)$/su;
const TIMESTAMP_LENGTH = "2026-01-31T23:59:59.000Z".length;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses a search (spec, "Search query language").
 * @throws {QueryError} whose message is a sentence for the person who typed the search
 */
export function parseQuery(text: string, fields: Fields): Query {
  if (text.length * 3 > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES)
    throw new QueryError(`the query is longer than ${MAX_BYTES} bytes`);
  const tokens = text.split(" ").filter((token) => token !== "");
  if (tokens.length > MAX_TERMS) throw new QueryError(`the query has more than ${MAX_TERMS} terms`);
  const terms = tokens.map((token) => parseTerm(token, fields));
  return [...new Set(terms.map((term) => term.field))].map((field) => {
    const own = terms.filter((term) => term.field === field);
    const { type, isNull = field, of } = fields[field]!;
    const { any, range } = combine(own.filter(isComparison));
    return {
      field,
      column: isNull,
      ...(of && { of }),
      type,
      values: [...own.filter((term) => !term.negated && !isComparison(term)), ...any],
      range,
      excluded: own.filter((term) => term.negated),
    };
  });
}

export function termsIn(query: Query): Term[] {
  return query.flatMap(({ values, range, excluded }) => [...values, ...range, ...excluded]);
}

/** Writes a query so that parsing it gives the same query again. */
export function printQuery(query: Query): string {
  return termsIn(query).map(printTerm).join(" ");
}

/**
 * What the comparisons of one field mean together. Repeating a field means OR, so the weakest lower and the weakest upper
 * bound decide. If there is time between these two they are a range, which nothing else could express; otherwise any of
 * the comparisons is enough.
 */
function combine(comparisons: readonly Term[]): Pick<Clause, "range"> & { any: readonly Term[] } {
  const ordered = comparisons.toSorted((a, b) => edge(a) - edge(b));
  const lower = ordered.find(({ operator }) => operator.startsWith(">"));
  const upper = ordered.findLast(({ operator }) => operator.startsWith("<"));
  return lower && upper && edge(lower) <= edge(upper)
    ? { any: [], range: [lower, upper] }
    : { any: comparisons, range: [] };
}

/** Whether there are bounds on both sides among alternatives, so that there is no time between them. */
export function isSplit(alternatives: readonly Term[]): boolean {
  return [">", "<"].every((sign) => alternatives.some(({ operator }) => operator.startsWith(sign)));
}

/** The first or the last millisecond that satisfies a comparison. Stored times are no finer. */
function edge({ operator, value }: Term): number {
  return Date.parse(value) + (operator === ">" ? 1 : operator === "<" ? -1 : 0);
}

/** Parses one token of a search. @throws {QueryError} as `parseQuery` */
export function parseTerm(token: string, fields: Fields): Term {
  const parts = TERM.exec(token);
  if (!parts)
    throw new QueryError(
      `"${token}" is not a search term. Write field:value, e.g. email:*@acme.com. A value cannot contain a space.`,
      { word: token },
    );
  const [, minus, name = "", sign, text = ""] = parts;
  const negated = minus === "-";
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field)
    throw new QueryError(`unknown field "${name}". Fields: ${Object.keys(fields).join(", ")}`, { unknownField: name });
  if (text === "") throw new QueryError(`"${token}" has no value. Write ${name}${sign}value.`);
  if (field.type === "boolean") {
    if (sign !== ":" || (text !== "true" && text !== "false"))
      throw new QueryError(`"${name}" is true or false. Write ${name}:true or ${name}:false.`);
    return { field: name, operator: "is", value: text, negated };
  }
  if (sign !== ":") {
    if (field.type === "string")
      throw new QueryError(`"${token}" compares ${name}, which is text. Write ${name}:value.`);
    if (negated) throw new QueryError(`"${token}" negates a comparison. Turn the comparison round instead.`);
    return { field: name, operator: sign as ComparisonOperator, value: dateOrTime(name, text), negated };
  }
  if (field.nullable && text === "null") return { field: name, operator: "null", value: "null", negated };
  if (field.type === "string") {
    const { operator, value } = wildcards(text);
    // A domain that is there to its end, as in `*@müller.example`, is in its stored form.
    const isWhole = field.isEmail === true && (operator === "is" || operator === "ends");
    return { field: name, operator, value: isWhole ? storedForm(value) : value, negated };
  }
  if (text.includes("*")) {
    const orNull = field.nullable ? `${name}:null, ` : "";
    const instead = `${orNull}${name}:2026-01-31 or ${name}>=2026-01-31`;
    throw new QueryError(`"${name}" is a date and takes no wildcard. Write ${instead}.`);
  }
  return { field: name, operator: DATE.test(text) ? "on" : "is", value: dateOrTime(name, text), negated };
}

function wildcards(text: string): { operator: ValueOperator; value: string } {
  if (text === "*") return { operator: "starts", value: "" };
  const ends = text.startsWith("*");
  const starts = text.endsWith("*");
  const value = text.slice(ends ? 1 : 0, starts ? -1 : undefined);
  return { operator: ends && starts ? "contains" : ends ? "ends" : starts ? "starts" : "is", value };
}

function dateOrTime(name: string, text: string): string {
  return DATE.test(text) ? checkedDate(name, text) : timestamp(name, text);
}

function checkedDate(name: string, text: string): string {
  if (!isDay(text)) throw invalidDate(name, text);
  return text;
}

function timestamp(name: string, text: string): string {
  if (!TIMESTAMP.test(text)) throw invalidDate(name, text);
  checkedDate(name, text.slice(0, 10));
  // Stored times have milliseconds; what is finer is cut off.
  const time = new Date(text.replace(/(\.\d{3})\d+/, "$1"));
  if (Number.isNaN(time.getTime()) || !hasFourDigitYear(time)) throw invalidDate(name, text);
  return time.toISOString();
}

function invalidDate(dateOf: string, text: string): QueryError {
  const message = `"${text}" is not a valid date for ${dateOf}. Write 2026-01-31 or 2026-01-31T23:59:59Z.`;
  return new QueryError(message, { dateOf });
}

/** Whether a valid date is within the years 0000 to 9999. ISO 8601 writes others with a sign, which does not sort as text. */
export function hasFourDigitYear(date: Date): boolean {
  return date.toISOString().length === TIMESTAMP_LENGTH;
}

function isComparison(term: Term): boolean {
  return /^[<>]/.test(term.operator);
}

export function printTerm({ field, operator, value, negated }: Term): string {
  const prefix = negated ? `-${field}` : field;
  switch (operator) {
    case "starts":
      return `${prefix}:${value}*`;
    case "ends":
      return `${prefix}:*${value}`;
    case "contains":
      return `${prefix}:*${value}*`;
    case "is":
    case "on":
    case "null":
      return `${prefix}:${value}`;
    case ">":
    case "<":
    case ">=":
    case "<=":
      return `${field}${operator}${value}`;
  }
}

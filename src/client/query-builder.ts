import { SESSION_FIELDS, USER_FIELDS, type Fields } from "../wire/search/fields.ts";
import type { Provider, SessionProvider } from "../wire/providers.ts";
import { parseQuery, printQuery, printTerm, type Query, type Term } from "../wire/search/query.ts";
import { ConfigError, ServiceError } from "./errors.ts";

export type UserFields = typeof USER_FIELDS;
export type SessionFields = typeof SESSION_FIELDS;

type NamesOf<F extends Fields, Column> = { [Name in keyof F]: F[Name] extends Column ? Name : never }[keyof F] & string;
type TextField<F extends Fields> = NamesOf<F, { type: "string" }>;
type TimeField<F extends Fields> = NamesOf<F, { type: "datetime" }>;
type NullableField<F extends Fields> = NamesOf<F, { nullable: true }>;
/** An identity is of a provider to sign in through; a session may also come from a password. */
type TextOf<F extends Fields, Name extends keyof F> = Name extends "provider"
  ? F[Name] extends { of: "identities" }
    ? Provider
    : SessionProvider
  : string;
type ValueOf<F extends Fields, Name extends keyof F> = F[Name] extends { type: "datetime" }
  ? DateInput
  : F[Name] extends { type: "boolean" }
    ? boolean
    : TextOf<F, Name>;

/** A moment; or a date, which for `eq` is that whole UTC day, and for comparisons its first moment. */
export type DateInput = Date | `${number}-${number}-${number}` | `${number}-${number}-${number}T${string}`;

declare const FIELDS: unique symbol;
declare const NEGATABLE: unique symbol;

/** One term of a search over the fields `F`. */
export interface QueryTerm<F extends Fields> {
  readonly term: Term;
  /** Only for the compiler: users' terms are no sessions' terms. */
  readonly [FIELDS]?: (fields: F) => F;
}

/** A term that `not` takes: every one but a comparison. */
export interface NegatableTerm<F extends Fields> extends QueryTerm<F> {
  readonly [NEGATABLE]: true;
}

/**
 * Makes the terms of a search. Values are taken as they are: none of them can turn into a wildcard or another term.
 * @throws {ServiceError} `invalid_query` for a value that can't be searched for, such as one with a space in it
 */
export interface QueryBuilder<F extends Fields> {
  eq<Name extends keyof F & string>(field: Name, value: ValueOf<F, Name>): NegatableTerm<F>;
  /** Any of the values, of which there must be one. */
  oneOf<Name extends keyof F & string>(field: Name, values: readonly ValueOf<F, Name>[]): readonly NegatableTerm<F>[];
  startsWith(field: TextField<F>, value: string): NegatableTerm<F>;
  endsWith(field: TextField<F>, value: string): NegatableTerm<F>;
  contains(field: TextField<F>, value: string): NegatableTerm<F>;
  isNull(field: NullableField<F>): NegatableTerm<F>;
  gt(field: TimeField<F>, value: DateInput): QueryTerm<F>;
  gte(field: TimeField<F>, value: DateInput): QueryTerm<F>;
  lt(field: TimeField<F>, value: DateInput): QueryTerm<F>;
  lte(field: TimeField<F>, value: DateInput): QueryTerm<F>;
  /** Leaves out what matches; of several terms, what matches any of them. */
  not(terms: NegatableTerm<F> | readonly NegatableTerm<F>[]): readonly QueryTerm<F>[];
}

/**
 * A search: as text (spec, "Search query language"), parsed, or made of terms. Terms of one field are alternatives, except
 * that a lower and an upper bound with time between them are a range, and that negations each exclude; different fields
 * must all match.
 */
export type QueryInput<F extends Fields> =
  | string
  | Query
  | ((query: QueryBuilder<F>) => readonly (QueryTerm<F> | readonly QueryTerm<F>[])[]);

/** The text of a search for users. @throws {ServiceError} `invalid_query` */
export function userQuery(input: QueryInput<UserFields>): string {
  return write(input, USER_FIELDS);
}

/** The text of a search for sessions. @throws {ServiceError} `invalid_query` */
export function sessionQuery(input: QueryInput<SessionFields>): string {
  return write(input, SESSION_FIELDS);
}

function write<F extends Fields>(input: QueryInput<F>, fields: F): string {
  if (typeof input === "string") return input;
  if (Array.isArray(input)) return printQuery(input);
  if (typeof input !== "function")
    throw new ConfigError("A search needs its query: text such as email:*@acme.com, or a function that returns terms");
  const given: unknown = input(createBuilder(fields));
  if (!Array.isArray(given)) throw invalid("the function must return a list of terms, as in (q) => [q.eq(…)].");
  const terms = (given as ReturnType<typeof input>).flat();
  if (terms.some((made) => !made?.term)) throw invalid("a term must be what q makes, as in (q) => [q.eq(…)].");
  // An empty search might be one for everything.
  if (terms.length === 0)
    throw invalid("the builder returned no term. To get everyone, use list() instead of search().");
  const text = terms.map(({ term }) => printTerm(term)).join(" ");
  read(text, fields);
  return text;
}

function createBuilder<F extends Fields>(fields: F): QueryBuilder<F> {
  const text = (operator: "is" | "starts" | "ends" | "contains") => (field: string, value: string) => {
    if (typeof value !== "string" || value === "") throw invalid(`the value of ${field} is empty`);
    if (/[\s\p{Cc}]/u.test(value))
      throw invalid(`"${value}" has a space in it, which no value can. Match one word of it with contains.`);
    const term: Term = { field, operator, value, negated: false };
    const found = read(printTerm(term), fields);
    if (found.operator !== operator || found.value !== value)
      throw invalid(`${field} can't be searched for "${value}", which has a meaning of its own there`);
    return negatable<F>(term);
  };
  const time = (sign: ":" | ">" | "<" | ">=" | "<=") => (field: string, value: DateInput) => {
    const isDate = value instanceof Date;
    if (isDate && Number.isNaN(value.getTime())) throw invalid(`the Date for ${field} is invalid`);
    const written = isDate ? value.toISOString() : value;
    if (/\s/.test(written)) throw invalid(`"${written}" is not a valid date for ${field}`);
    return negatable<F>(read(`${field}${sign}${written}`, fields));
  };
  const eq = (field: string, value: unknown): NegatableTerm<F> => {
    const type = fields[field]?.type;
    if (type === "datetime") return time(":")(field, value as DateInput);
    return text("is")(field, type === "boolean" ? String(value) : (value as string));
  };
  return {
    eq,
    oneOf(field, values) {
      // No value at all would leave the field out, and so find everything.
      if (values.length === 0) throw invalid(`oneOf("${field}") needs at least one value`);
      return values.map((value) => eq(field, value));
    },
    startsWith: text("starts"),
    endsWith: text("ends"),
    contains: text("contains"),
    isNull: (field) => negatable(read(`${field}:null`, fields)),
    gt: time(">"),
    gte: time(">="),
    lt: time("<"),
    lte: time("<="),
    not: (terms) => [terms].flat().map(({ term }) => ({ term: negate(term) })),
  };
}

/** The first term of a text that the service would read the same way. */
function read(text: string, fields: Fields): Term {
  try {
    const [clause] = parseQuery(text, fields);
    return [...clause!.values, ...clause!.range, ...clause!.excluded][0]!;
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function negate(term: Term): Term {
  if (term.negated) throw invalid(`${printTerm(term)} is negated already`);
  const { operator } = term;
  if (operator === ">" || operator === "<" || operator === ">=" || operator === "<=")
    throw invalid(`${printTerm(term)} is a comparison, which can't be negated. Turn it round instead.`);
  return { ...term, operator, negated: true };
}

function negatable<F extends Fields>(term: Term): NegatableTerm<F> {
  return { term } as NegatableTerm<F>;
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_query", `Invalid query: ${message}`);
}

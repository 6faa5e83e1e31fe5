import { type Clause, isSplit, type Query, type Term, type QueryError } from "./query.ts";
import { closest } from "../../text/suggestion.ts";
import type { Fields } from "./fields.ts";
import { isUuid } from "../ids.ts";

/** A search in words, for people: `users whose email ends with "@acme.com"`. */
export function inWords(query: Query, noun: string): string {
  return `${noun} whose ${query.map(clauseInWords).join("; and whose ")}`;
}

function clauseInWords(clause: Clause): string {
  const { field, values, range, excluded } = clause;
  const bounds = range.length > 0 ? [`${range.map(termInWords).join(" and ")} (a range)`] : [];
  const some = either([...values.map(termInWords), ...bounds]) + (isSplit(values) ? NO_OVERLAP : "");
  return `${field} ${[...(some === "" ? [] : [some]), ...excluded.map(termInWords)].join(", and ")}`;
}

/** A field that is repeated means OR, which somebody may not expect. */
function either(alternatives: readonly string[]): string {
  return (alternatives.length > 1 ? "either " : "") + alternatives.join(" or ");
}

/** In two parts, between which the third person has an s. */
const VERBS = { starts: ["start", " with"], ends: ["end", " with"], contains: ["contain", ""] } as const;
/** Somebody may have meant a range. */
const NO_OVERLAP = " (these do not overlap, so either is enough)";

function termInWords({ operator, value, negated }: Term): string {
  const text = `"${value}"`;
  switch (operator) {
    case "is":
      return `is ${negated ? "not " : ""}${text}`;
    case "on":
      return `is ${negated ? "not " : ""}on ${value}, in UTC`;
    case "null":
      return `is ${negated ? "not " : ""}empty`;
    case "starts":
    case "ends":
    case "contains": {
      if (value === "") return negated ? "is nothing at all" : "is anything";
      return negated ? `does not ${VERBS[operator].join("")} ${text}` : `${VERBS[operator].join("s")} ${text}`;
    }
    default: {
      const moment = value.length === "2026-01-31".length ? `${value} 00:00 UTC` : value;
      return `is ${{ ">": "after", ">=": "at or after", "<": "before", "<=": "at or before" }[operator]} ${moment}`;
    }
  }
}

/** `email~ada`, `name!=ada`: a field and a value with a sign between them that the search language does not have. */
const MISWRITTEN = /^(-?)([a-z][a-z0-9_]*)([!~=]+)(.+)$/su;

/**
 * What was probably meant by a search that cannot be parsed. Undefined if its error says all.
 * @param print writes a term as the reader of the hint can type it
 */
export function hintFor({ at }: QueryError, fields: Fields, print: (term: Term) => string): string | undefined {
  if (at.word !== undefined) return termHint(at.word, fields, print);
  return at.unknownField === undefined ? undefined : fieldHint(at.unknownField, fields);
}

export function asSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

/** `Did you mean "email"?`; undefined if no field is close. */
export function fieldHint(field: string, fields: Fields): string | undefined {
  const near = closest(field.toLowerCase(), Object.keys(fields));
  return near && `Did you mean "${near}"?`;
}

export function termHint(word: string, fields: Fields, print: (term: Term) => string): string {
  const [, minus, field = "", sign, value = ""] = MISWRITTEN.exec(word) ?? [];
  if (Object.hasOwn(fields, field) && fields[field]!.type === "string") {
    const isWhole = sign !== "~";
    const meant = isWhole
      ? ({ operator: "is", value } as const)
      : ({ operator: "contains", value: trimmed(value) } as const);
    return `Did you mean ${print({ field, ...meant, negated: sign === "!=" || minus === "-" })}?`;
  }
  if (isUuid(word.toLowerCase())) {
    const own = Object.hasOwn(fields, "user_id") ? "user_id" : "id";
    return `To find an id: ${print({ field: own, operator: "is", value: word, negated: false })}`;
  }
  if (word.includes("@"))
    return `To find an e-mail address: ${print({ field: "email", operator: word.startsWith("@") ? "ends" : "is", value: word, negated: false })}`;
  const part = trimmed(word) || "word";
  return `To find it within a name: ${print({ field: "name", operator: "contains", value: part, negated: false })}`;
}

/** Without the asterisks and quotes around it. */
function trimmed(text: string): string {
  return text.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

/** What was typed with `=` and quotes, as others write it, with the `:` of a query. */
export function asTerms(text: string): string {
  return text.replace(/(^| )(-?\w+)==?(?=[^=])/g, "$1$2:").replace(/:(["'])([^"'\s]+)\1/g, ":$2");
}

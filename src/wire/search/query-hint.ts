import { closest } from "../text/suggestion.ts";
import type { Fields } from "./fields.ts";
import { isUuid } from "../ids.ts";
import { NotATermError, printTerm, UnknownFieldError, type QueryError, type Term } from "./query.ts";

/** `email~ada`, `name!=ada`: a field and a value with a sign between them that the search language does not have. */
const MISWRITTEN = /^(-?)([a-z][a-z0-9_]*)([!~=]+)(.+)$/su;

/** What is wrong with a search that cannot be parsed, in sentences, and what was probably meant. */
export function explainProblem(error: QueryError, fields: Fields): string {
  const hint =
    error instanceof UnknownFieldError
      ? fieldHint(error.field, fields)
      : error instanceof NotATermError
        ? termHint(error.token, fields, printTerm)
        : undefined;
  return hint === undefined ? asSentence(error.message) : `${asSentence(error.message)} ${hint}`;
}

/** With a capital letter and a full stop. */
export function asSentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return text.endsWith(".") ? text : `${text}.`;
}

/** `Did you mean "email"?`; undefined if no field is close. */
export function fieldHint(field: string, fields: Fields): string | undefined {
  const near = closest(field.toLowerCase(), Object.keys(fields));
  return near && `Did you mean "${near}"?`;
}

/** @param print writes a term as the reader of the hint can type it */
export function termHint(word: string, fields: Fields, print: (term: Term) => string): string {
  const [, minus, field = "", sign, value = ""] = MISWRITTEN.exec(word) ?? [];
  if (Object.hasOwn(fields, field) && fields[field]!.type === "string")
    return sign === "!="
      ? `Did you mean ${print({ field, operator: "is", value, negated: true })}?`
      : `Did you mean ${print({ field, operator: "contains", value: trimmed(value), negated: minus === "-" })}?`;
  if (isUuid(word.toLowerCase())) {
    const own = Object.hasOwn(fields, "user_id") ? "user_id" : "id";
    return `To find an id: ${print({ field: own, operator: "is", value: word, negated: false })}`;
  }
  if (word.includes("@"))
    return `To find an e-mail address: ${print({ field: "email", operator: "is", value: word, negated: false })}`;
  const part = trimmed(word) || "word";
  return `To find it within a name: ${print({ field: "name", operator: "contains", value: part, negated: false })}`;
}

/** Without the asterisks and quotes around it. */
function trimmed(text: string): string {
  return text.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

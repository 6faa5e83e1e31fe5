import type * as z from "zod/mini";
import { closest, suggestion } from "../text/suggestion.ts";

/** Input that was checked against a schema: the parsed data, or one line per error. */
export type Checked<Data> =
  | { readonly data: Data; readonly faults?: undefined }
  | { readonly data?: undefined; readonly faults: readonly string[] };

/**
 * Checks input from outside. An error reads `instances[0].users[2].email: must be an e-mail address`.
 * @param whole names the input in errors without a path
 */
export function checkedBy<Data>(schema: z.ZodMiniType<Data>, input: unknown, whole = "the file"): Checked<Data> {
  const { data, error } = schema.safeParse(input, { error: knownKeys, reportInput: true });
  return error === undefined ? { data } : { faults: error.issues.flatMap((issue) => linesOf(issue, whole)) };
}

const MAX_FAULTS = 20;

/** The first faults of many, and how many more there are. */
export function firstOf(faults: readonly string[]): readonly string[] {
  const more = faults.length - MAX_FAULTS;
  return more > 0 ? [...faults.slice(0, MAX_FAULTS), `and ${more} more`] : faults;
}

function linesOf(issue: z.core.$ZodIssue, whole: string): string[] {
  if (issue.code !== "unrecognized_keys") return [`${pathOf(issue.path) || whole}: ${sentenceOf(issue)}`];
  const known = JSON.parse(issue.message) as string[];
  return issue.keys.map((key) => `${pathOf([...issue.path, key])}: unknown key. ${suggestion(key, known, "keys")}`);
}

/** The internal message of an unknown key: the known keys, as JSON. */
const knownKeys: z.core.$ZodErrorMap = ({ code, inst }) => {
  if (code !== "unrecognized_keys") return undefined;
  const { shape, keyType } = inst!._zod.def as { readonly shape?: object; readonly keyType?: z.core.$ZodType };
  return JSON.stringify(shape ? Object.keys(shape) : [...(keyType?._zod.values ?? [])]);
};

/** zod's own messages, with a locale or without one; the schemas' own messages already say what to write. */
const OWN_MESSAGE = /^(?:Invalid|Too small|Too big|Unrecognized)/;
const KINDS: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "text",
};

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (!OWN_MESSAGE.test(issue.message)) return issue.message;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value": {
      const values = issue.values.map(String);
      const near = typeof issue.input === "string" ? closest(issue.input, values) : undefined;
      return `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}${near === undefined ? "" : `. Did you mean ${near}?`}`;
    }
    case "too_small":
      return issue.origin === "string" && Number(issue.minimum) === 1
        ? "must not be empty"
        : `must be ${amount(issue.minimum, issue.origin)} or more`;
    case "too_big":
      return `must be ${amount(issue.maximum, issue.origin)} or less`;
    case "invalid_format":
      return issue.format === "url"
        ? "must be an address such as https://example.com/"
        : `must be a valid ${issue.format}`;
    case "invalid_union":
      return "has none of the forms that are accepted";
    default:
      return issue.message;
  }
}

function amount(bound: number | bigint, origin: string): string {
  if (origin === "string") return `${bound} characters`;
  return origin === "array" ? `${bound} ${Number(bound) === 1 ? "entry" : "entries"}` : String(bound);
}

function pathOf(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return text.replace(/^\./, "");
}

import type * as z from "zod";

/**
 * What a schema found wrong, a line each: `instances[0].users[2].email: must be an e-mail address`.
 * @param whole what a fault of the whole is said of
 */
export function issueLines({ issues }: z.ZodError, whole = "the file"): string[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map(
        (key) => `${pathOf([...issue.path, key])}: unknown key. Check its spelling, or leave it out`,
      );
    return `${pathOf(issue.path) || whole}: ${sentenceOf(issue)}`;
  });
}

/** How zod's own messages begin; the schemas' messages say what to write already. */
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
  if (issue.message.endsWith("received undefined")) return "is missing";
  if (!OWN_MESSAGE.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
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

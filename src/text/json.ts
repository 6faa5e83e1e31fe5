/** The value of a JSON text. Undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Why a text is not JSON, and at which place. JavaScript's quotation of the text is removed: it may be part of a secret.
 * @param error as `JSON.parse` has thrown it
 */
export function jsonFault(error: unknown, text: string): string {
  const { message } = error as Error;
  const offset = faultOffset(message, text);
  const before = text.slice(0, offset).trimEnd();
  if (before.endsWith(",") && /^[\]}]/.test(text.slice(offset)))
    return `Trailing comma ${placeOf(before.slice(0, -1))}`;
  const reason = message.replace(/(?: in JSON)? at position .*$|, .*is not valid JSON$/s, "");
  return `${reason} ${placeOf(text.slice(0, offset))}`;
}

/** Where the text behind this one begins. */
function placeOf(before: string): string {
  const lines = before.split("\n");
  return `(line ${lines.length}, column ${lines.at(-1)!.length + 1})`;
}

/** V8 gives the place of every fault except an unexpected token: a text cut off before that token does not have the fault. */
function faultOffset(message: string, text: string): number {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  let [good, bad] = [0, text.length];
  while (good < bad) {
    const middle = Math.floor((good + bad) / 2);
    if (hasUnexpectedToken(text.slice(0, middle + 1))) bad = middle;
    else good = middle + 1;
  }
  return good;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as Error).message.startsWith("Unexpected token");
  }
}

/** Whether a value is an object of named fields: not null, and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value in a line of text: empty for null, the words of a list joined by commas. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(",") : JSON.stringify(value);
}

import { toUSVString } from "node:util";
import * as z from "zod/mini";

const MAX_NAME_LENGTH = 256;

/** An id as text. A number past 2^53 has lost digits on its way and could name another account. */
export const uid: z.ZodMiniType<string> = z.pipe(
  z.union([z.string().check(z.regex(/^[\x21-\x7e]{1,255}$/)), z.int().check(z.positive())]),
  z.transform(String),
);

/** A value that is null where it can't be read, for what a sign-in can do without. */
export function lenient<Output>(schema: z.ZodMiniType<Output>): z.ZodMiniType<Output | null> {
  // What is left out gets its null before it is an error, which costs far more to make.
  const orNull = z._default(z.nullable(schema), null);
  // oxlint-disable-next-line promise/valid-params
  return z.catch(orNull, null);
}

/** Text that a sign-in can do without. */
export const optionalText: z.ZodMiniType<string | null> = lenient(z.string());

/** The paths, such as `emails[1].email`, of what was sent and could not be read. */
export function unreadPaths(sent: unknown, read: unknown, path = ""): string[] {
  if (read === null || read === undefined) return sent === null || sent === undefined ? [] : [path];
  if (typeof read !== "object" || typeof sent !== "object" || sent === null) return [];
  return Object.entries(read).flatMap(([key, value]) => {
    const inner = Array.isArray(read) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    return unreadPaths((sent as Record<string, unknown>)[key], value, inner);
  });
}

/** A name that is not empty, not endless, and that every store can hold: no U+0000 and no half of a surrogate pair. */
export function displayName(...names: readonly (string | null | undefined)[]): string {
  const name = names.map((text) => text?.replaceAll("\0", "").trim()).find((text) => text) ?? "";
  return toUSVString(name.slice(0, MAX_NAME_LENGTH));
}

import { toUSVString } from "node:util";
import * as z from "zod/mini";

/** An id as text. A number past 2^53 has lost digits on its way and would be somebody else's. */
export const uid: z.ZodMiniType<string> = z.pipe(
  z.union([z.string().check(z.regex(/^[\w.|:-]{1,255}$/)), z.int().check(z.positive())]),
  z.transform(String),
);

export const optionalText: z.ZodMiniType<string | null | undefined> = z.nullish(z.string());

/** A name that is never empty and never endless, and that every store can hold: without U+0000 and halves of characters. */
export function displayName(name: string | null | undefined, fallback: string): string {
  return toUSVString((name?.replaceAll("\0", "").trim() || fallback).slice(0, 256));
}

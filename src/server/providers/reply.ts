import { z } from "zod";

/** An id as text. A number past 2^53 has lost digits on its way and would be somebody else's. */
export const uid: z.ZodType<string> = z
  .union([z.string().regex(/^[\w.|:-]{1,255}$/), z.int().positive()])
  .transform(String);

export const optionalText: z.ZodType<string | null | undefined> = z.string().max(2048).nullish();

/** A name that is never empty and never endless. */
export function displayName(name: string | null | undefined, fallback: string): string {
  return (name?.trim() || fallback).slice(0, 256);
}

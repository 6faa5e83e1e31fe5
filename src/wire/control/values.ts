/** The forms of values that several bodies and answers share. */
import * as z from "zod/mini";
import { durationMs } from "../text/time.ts";
import { AFTER, MAX_PAGE_SIZE } from "../http/request.ts";
import { meantOutcome, OUTCOME_IDS } from "../outcomes.ts";
import { provider, text, time } from "./seed.ts";

export { provider, text };

export const outcome = z.enum(OUTCOME_IDS, {
  error: ({ input }) => {
    const meant = typeof input === "string" ? meantOutcome(input) : undefined;
    return meant === undefined ? `must be one of ${OUTCOME_IDS.join(", ")}` : `unknown outcome. Did you mean ${meant}?`;
  },
});
/** An instance, by its id or its subdomain. */
export const instanceName = z
  .string()
  .check(z.minLength(1), z.maxLength(64), z.describe("An instance's id or subdomain; default: the first one"));
/** A persona, by its id or one of its e-mail addresses. */
export const account = z
  .string()
  .check(z.minLength(1), z.maxLength(254), z.describe("A persona's id or e-mail address"));
export const duration = z
  .union([z.string().check(z.maxLength(32)), z.int().check(z.nonnegative())], {
    error: 'must be a duration such as "61m", "1h30m" or "30:00", or a number of milliseconds',
  })
  .check(
    z.describe('A duration such as "61m", "1h30m", "30:00", or a number of milliseconds. Digits as text have no unit'),
  );
/** A moment: a time, or how long ago it was. */
export const moment = z.union(
  [
    time,
    z.string().check(
      z.maxLength(32),
      z.refine((value) => durationMs(value) !== undefined),
    ),
  ],
  {
    error: "must be a date and time such as 2026-01-31T12:00:00Z, or an age such as 15m",
  },
);
export const jsonObject = z.record(z.string(), z.unknown());

/** A record of the API: every one has this form. */
export function record<Name extends string, Data extends z.ZodMiniType>(
  resource: Name,
  data: Data,
): z.ZodMiniObject<{ id: z.ZodMiniString; resource: z.ZodMiniLiteral<Name>; data: Data }> {
  return z.object({ id: z.string(), resource: z.literal(resource), data });
}

const limit = z.optional(
  z.coerce
    .number({ error: `must be a number from 1 to ${MAX_PAGE_SIZE}` })
    .check(z.int(), z.minimum(1), z.maximum(MAX_PAGE_SIZE)),
);
/** The paging of a list, as in the product API. */
export const page = { limit, after: z.optional(z.string().check(z.maxLength(256))).check(z.describe(AFTER)) };

/** What `flows`, `requests` and `events` are filtered by. */
export const filters = {
  result: z.optional(z.enum(["token", "error", "open"])),
  error: z.optional(text),
  outcome: z.optional(outcome).check(z.describe("The outcome that was requested")),
  provider: z.optional(provider),
  instance: z.optional(instanceName),
  user: z
    .optional(z.string().check(z.regex(/\S/, "must not be empty"), z.maxLength(254)))
    .check(z.describe("A part of a person's name, login or e-mail address, or an id")),
  reason: z.optional(text).check(z.describe("A part of the reason of the failure")),
  since: z.optional(moment).check(z.describe("The earliest start: a date and time, or an age such as 15m")),
  until: z.optional(moment).check(z.describe("What began before this: a date and time, or an age such as 15m")),
  wait: z
    .optional(z.string().check(z.maxLength(16)))
    .check(z.describe('How long to wait for the first match, e.g. "5s"; 25 s at most')),
};

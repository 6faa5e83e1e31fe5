/** The forms of values that several bodies and answers share. */
import * as z from "zod/mini";
import { AFTER, MAX_PAGE_SIZE } from "../../http/request.ts";
import { ANY_UUID, SUBDOMAIN } from "../ids.ts";
import { meantOutcome, OUTCOME_IDS } from "../outcomes.ts";
import { PROVIDERS, type Provider } from "../providers.ts";
import { hasFourDigitYear } from "../search/query.ts";
import { EMAIL, isEmail, MAX_EMAIL_LENGTH, storedForm } from "../../text/email.ts";
import { durationMs, isoTime } from "../../text/time.ts";

/** A field that may be missing, and what it is. */
export function optional<Schema extends z.ZodMiniType>(schema: Schema, description: string): z.ZodMiniOptional<Schema> {
  return z.optional(schema).check(z.describe(description));
}

export function perProvider<Value>(value: Value): Record<Provider, Value> {
  return Object.fromEntries(PROVIDERS.map((name) => [name, value])) as Record<Provider, Value>;
}

export const text = z.string().check(z.minLength(1), z.maxLength(256));
export const uuid = z.string().check(
  z.regex(ANY_UUID, { error: "must be a UUID", abort: true }),
  z.overwrite((id) => id.toLowerCase()),
);
/** Of a user, who may come from elsewhere. */
export const userId = z
  .string()
  .check(
    z.maxLength(256),
    z.regex(
      new RegExp(`${ANY_UUID.source}|^[a-z][a-z0-9]*:.+$`),
      "must be a UUID, or the id elsewhere behind the name of the service, such as auth0:5f7c8ec7",
    ),
  );
export const time = z.iso
  .datetime({ offset: true, error: "must be a date and time such as 2026-01-31T12:00:00Z", abort: true })
  .check(z.refine((value) => hasFourDigitYear(new Date(value)), "must lie within the years 0000 to 9999"));
/** The same in a seed, also as PostgreSQL and JavaScript print it. */
export const writtenTime = z.string().check(
  z.describe("A date and time, also as PostgreSQL or JavaScript prints it"),
  z.overwrite(isoTime),
  z.refine((value) => time.safeParse(value).success, "must be a date and time such as 2026-01-31T12:00:00Z"),
);
/** A user's e-mail address, in the form in which a sign-in stores it. */
export const email = z
  .string()
  .check(
    z.overwrite(storedForm),
    z.maxLength(MAX_EMAIL_LENGTH, { error: `must have at most ${MAX_EMAIL_LENGTH} characters`, abort: true }),
    z.regex(EMAIL, { error: "must be an e-mail address, at a domain that DNS can have", abort: true }),
    z.refine(isEmail, "must not contain invisible characters"),
  );
/** An account's e-mail address as a provider sends it. A sign-in may refuse it. */
export const providerEmail = z
  .string()
  .check(z.maxLength(MAX_EMAIL_LENGTH), z.regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"));
export const provider = z.enum(PROVIDERS);
/** A user's picture. An account's may have any address: a sign-in keeps only those of this form. */
export const picture = z.url({ protocol: /^https?$/, error: "must be an http or https address" });
export const subdomain = z.string().check(z.regex(SUBDOMAIN, "must be a host name label: a-z, 0-9 and -"));
export const preview = z
  .boolean()
  .check(z.describe("Whether an entry of redirect_uris may have one * in one label of its host: docs/server.md"));
export const outcome = z.enum(OUTCOME_IDS, {
  error: ({ input }) => {
    const meant = typeof input === "string" ? meantOutcome(input) : undefined;
    return meant === undefined ? `must be one of ${OUTCOME_IDS.join(", ")}` : `unknown outcome. Did you mean ${meant}?`;
  },
});
export const instanceName = z
  .string()
  .check(z.minLength(1), z.maxLength(64), z.describe("An instance's id or subdomain; default: the first one"));
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
const delayMs = z.int().check(z.minimum(0), z.maximum(25_000));
export const delay = z
  .union(
    [
      delayMs,
      z.strictObject({
        authorize: z.optional(delayMs),
        token: z.optional(delayMs),
        profile: z.optional(delayMs),
      }),
    ],
    { error: 'must be 0 to 25000 milliseconds, or an object of them such as { "token": 12000 }' },
  )
  .check(
    z.describe("Milliseconds before the authorize page answers, or before each of authorize, token and profile does"),
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
export const page = { limit, after: optional(z.string().check(z.maxLength(256)), AFTER) };

/** What sign-ins and requests are filtered by. */
export const bounds = {
  instance: z.optional(instanceName),
  since: optional(moment, "The earliest start: a date and time, or an age such as 15m"),
  until: optional(moment, "What began before this: a date and time, or an age such as 15m"),
};
/** Who can ask for a failure. */
export const ASKED_BY = ["picker", "scenario", "outcome", "replay"] as const;
/** What sign-ins are filtered by. */
export const filters = {
  ...bounds,
  result: z.optional(z.enum(["token", "error", "open", "abandoned"])),
  error: z.optional(text),
  asked_by: optional(
    z.enum([...ASKED_BY, "any", "none"]),
    "Who asked for the failure; any: it was asked for; none: it was not",
  ),
  outcome: optional(outcome, "The outcome that was requested"),
  provider: z.optional(provider),
  user: optional(
    z.string().check(z.regex(/\S/, "must not be empty"), z.maxLength(254)),
    "A part of a person's name, login or e-mail address, or an id",
  ),
  reason: optional(text, "A part of the reason of the failure"),
  browser: optional(text, "The id of a browser created by POST /browsers"),
  wait: optional(z.string().check(z.maxLength(16)), 'How long to wait for the first match, e.g. "5s"; 25 s at most'),
};

/** The forms of values that several bodies and answers share. */
import * as z from "zod";
import { MAX_PAGE_SIZE } from "../names.ts";
import { OUTCOME_IDS } from "../outcomes.ts";
import { provider, text, time } from "../seed.ts";

export { provider, text };

export const outcome = z.enum(OUTCOME_IDS);
/** An instance, by its id or its subdomain. */
export const instanceName = z.string().min(1).max(64).describe("An instance's id or subdomain; default: the first one");
/** A persona, by its id or one of its e-mail addresses. */
export const account = z.string().min(1).max(254).describe("A persona's id or e-mail address");
export const duration = z
  .union([z.string().max(32), z.number().int().nonnegative()], {
    error: 'must be a duration such as "61m", "1h30m" or "30:00", or a number of milliseconds',
  })
  .describe('A duration such as "61m", "1h30m", "30:00", or a number of milliseconds');
export const jsonObject = z.record(z.string(), z.unknown());

/** A record of the API: every one has this form. */
export function record<Name extends string, Data extends z.ZodType>(
  resource: Name,
  data: Data,
): z.ZodObject<{ id: z.ZodString; resource: z.ZodLiteral<Name>; data: Data }> {
  return z.object({ id: z.string(), resource: z.literal(resource), data });
}

const limit = z.coerce
  .number({ error: `must be a number from 1 to ${MAX_PAGE_SIZE}` })
  .int()
  .min(1)
  .max(MAX_PAGE_SIZE)
  .optional();
export const AFTER = "Start after this record: its id, or what the Link header of the previous page has here";
/** The paging of a list, as in the product API. */
export const page = { limit, after: z.string().max(256).optional().describe(AFTER) };

/** What `flows`, `requests` and `events` are filtered by. */
export const filters = {
  result: z.enum(["token", "error", "open"]).optional(),
  error: text.optional(),
  outcome: outcome.optional().describe("The outcome that was requested"),
  provider: provider.optional(),
  instance: instanceName.optional(),
  user: z.string().max(64).optional().describe("A user's id"),
  since: time.optional(),
  wait: z.string().max(16).optional().describe('How long to wait for the first match, e.g. "5s"; 25 s at most'),
};

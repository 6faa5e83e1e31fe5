/** Sign-ins and requests in the responses of the control API. */
import * as z from "zod";
import { jsonObject, outcome, provider, record } from "./values.ts";

const text = z.string();
const count = z.int();
const nullable = text.nullable();
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Step = z.object({
  name: text,
  at: text.describe("ISO 8601, by the service's clock"),
  ms: z.number().describe("How long it took, in real milliseconds"),
  sent: z.record(text, scalar).nullable().describe("What svc or the browser sent; secrets are redacted"),
  answered: z.record(text, scalar).nullable(),
  reason: nullable,
});
export const Flow = record(
  "flow",
  z.object({
    instance: nullable,
    provider: provider.nullable(),
    as: nullable.describe("The account: a persona's id, or the e-mail address that was typed in"),
    result: z.enum(["token", "error", "open"]),
    error: nullable,
    reason: nullable.describe("The reason of the failure, as a sentence"),
    requested_outcome: outcome.nullable(),
    user_id: nullable,
    redirect_uri: nullable,
    started_at: text,
    process: text,
    steps: z.array(Step),
    considered: z.array(z.object({ scenario: text, because: text })),
  }),
);
export const FlowSummary = z.object({
  total: count,
  results: z.object({ token: count, error: count, open: count }),
  errors: z.record(text, count),
  providers: z.record(text, count),
  outcomes: z.record(text, count),
});
export const Request = record(
  "request",
  z.object({
    method: text,
    path: text.describe("Path and query; possible secrets are redacted"),
    route: nullable,
    status: count,
    ms: z.number(),
    at: text,
    instance: nullable,
    flow_id: nullable,
    reason: nullable.describe("The reason of the error"),
    headers: z.record(text, text).describe("The request's headers; secrets are redacted"),
    answer: nullable.describe(
      "The response body if it is JSON, or a redirect's target; null for pages, streams and keys",
    ),
    process: text,
  }),
);
export const Har = z.object({ log: jsonObject });

import * as z from "zod/mini";
import { ASKED_BY, outcome, provider, record } from "./values.ts";

const text = z.string();
const count = z.int();
const nullable = z.nullable(text);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Step = z.object({
  name: text,
  at: text.check(z.describe("ISO 8601, by the service's clock")),
  ms: z.number().check(z.describe("How long it took, in real milliseconds")),
  sent: z.nullable(z.record(text, scalar)).check(z.describe("What svc or the browser sent; secrets are redacted")),
  answered: z.nullable(z.record(text, scalar)),
  reason: nullable.check(z.describe("Why the sign-in failed, in the step that decided it; otherwise null")),
});
export const Flow = record(
  "flow",
  z.object({
    instance: nullable,
    provider: z.nullable(provider),
    client_id: nullable.check(
      z.describe("The application's own client at the simulated provider; null for a sign-in through svc"),
    ),
    as: nullable.check(z.describe("The account: a persona's id, or the e-mail address that was typed in")),
    result: z
      .enum(["token", "error", "open", "abandoned"])
      .check(z.describe("abandoned: it has not ended, and its state has expired")),
    error: nullable,
    reason: nullable.check(
      z.describe("The reason of the failure, as a sentence. It begins with who asked for the failure"),
    ),
    asked_by: z
      .nullable(z.enum(ASKED_BY))
      .check(z.describe("Who asked for the failure; null for one that was not asked for")),
    requested_outcome: z.nullable(outcome),
    user_id: nullable,
    redirect_uri: nullable,
    browser: nullable.check(z.describe("The id of the labelled browser that made it, from POST /browsers")),
    scenario: z
      .nullable(
        z.object({
          id: text,
          label: nullable,
          cause: nullable.check(z.describe("What it asked for that can make a sign-in fail, e.g. token_error")),
        }),
      )
      .check(z.describe("The scenario that decided it")),
    started_at: text,
    process: text,
    steps: z.array(Step),
    considered: z.array(z.object({ scenario: text, because: text })),
  }),
);
const counts = {
  results: z.object({
    token: count,
    error: count,
    open: count,
    abandoned: count,
    asked_for: count.check(z.describe("Those of error that were asked for")),
    canceled: count.check(z.describe("The others of error that the user canceled at the provider: access_denied")),
  }),
  providers: z.record(text, count),
};
export const FlowSummary = z.object({
  total: count,
  ...counts,
  errors: z.record(text, count),
  outcomes: z.record(text, count),
  failures: z
    .array(
      z.object({
        reason: nullable.check(z.describe("The reason of the latest of them")),
        filter: text.check(z.describe("Finds them, as reason of GET /flows")),
        error: nullable,
        is_asked_for: z.boolean(),
        count,
        providers: z.array(provider),
        people: z.array(text).check(z.describe("The names of the latest accounts, three at most")),
        latest: z.object({ id: text, started_at: text }),
      }),
    )
    .check(z.describe("Failed sign-ins by reason, the most frequent first")),
  periods: z.array(z.object({ from: text, ...counts })),
});
export const Request = record(
  "request",
  z.object({
    method: text,
    path: text.check(z.describe("Path and query; possible secrets are redacted")),
    route: nullable,
    status: count,
    ms: z.number(),
    at: text,
    instance: nullable,
    flow_id: nullable,
    reason: nullable.check(z.describe("The reason of the error")),
    headers: z.record(text, text).check(z.describe("The request's headers; secrets are redacted")),
    body: nullable.check(
      z.describe("The request's body if it is JSON, without secrets; null if there is none or it is long"),
    ),
    answer: nullable.check(
      z.describe("The response body if it is JSON, or a redirect's target; null for pages, streams and keys"),
    ),
    process: text,
  }),
);

import * as z from "zod/mini";
import { CLOCK_NONCE } from "../claims.ts";
import { bounds, filters, instanceName, optional, page, text } from "./values.ts";

const yes = z.pipe(
  z.enum(["true", "false"]),
  z.transform((value) => value === "true"),
);

export const Paged = z.strictObject(page);
export const OfInstance = z.strictObject({
  instance: optional(text, "An instance's id or subdomain; needed if several have a record with this id"),
});
export const SavedInstance = z.strictObject({
  instance: optional(text, "An instance's id or subdomain: only its records are counted"),
});
const search = {
  instance: z.optional(instanceName),
  query: optional(z.string().check(z.maxLength(8192)), "The search language of the product API"),
  name: optional(z.string().check(z.maxLength(256)), "Words that the user's name contains, in any order"),
};
export const Search = z.strictObject(search);
export const SearchedQuery = z.strictObject({ ...page, ...search });
export const ClockChallenge = z.strictObject({
  nonce: z.string().check(z.regex(CLOCK_NONCE), z.describe("22 to 64 characters of base64url, chosen at random")),
  instance: z.optional(instanceName),
});
const scenarioFilter = {
  pending: optional(yes, "Only scenarios that have not been used up"),
  label: z.optional(text),
};
export const ScenarioFilter = z.strictObject(scenarioFilter);
export const ScenariosQuery = z.strictObject({ ...page, ...scenarioFilter });
const flowFilters = {
  ...filters,
  newer_than: optional(text, "A sign-in's id: only sign-ins that began after it"),
};
export const Filtered = z.strictObject(flowFilters);
export const SummaryQuery = z.strictObject({
  ...flowFilters,
  periods: optional(
    z.coerce.number({ error: "must be a number from 1 to 100" }).check(z.int(), z.minimum(1), z.maximum(100)),
    "Divides the time between since and until (default: now) into this many periods",
  ),
});
export const FlowsQuery = z.strictObject({ ...page, ...flowFilters });
export const RequestsQuery = z.strictObject({
  ...page,
  ...bounds,
  flow: optional(text, "A sign-in's id: only the requests of it"),
  method: z.optional(z.string().check(z.maxLength(16))),
  status: optional(
    z.string().check(z.regex(/^(?:[1-5](?:xx|\d\d)|failed)$/)),
    "A status, such as 404, a class, such as 4xx, or failed: 4xx, 5xx, and redirects that take an error to the application",
  ),
  path: optional(text, "A part of the path and query"),
  control: optional(
    yes,
    "false excludes requests of the control API, the dashboard, files of svc's pages, and commands that look for their server",
  ),
});
export const Events = z.strictObject({ kind: z.optional(z.enum(["request", "flow"])) });

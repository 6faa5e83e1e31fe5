/** The query parameters of the control API's lists. */
import * as z from "zod";
import { filters, instanceName, page, text } from "./values.ts";

const yes = z.enum(["true", "false"]).transform((value) => value === "true");

export const Paged = z.strictObject(page);
export const Searched = z.strictObject({
  ...page,
  instance: instanceName.optional(),
  query: z.string().max(8192).optional().describe("The search language of the product API"),
});
const scenarioFilter = {
  pending: yes.optional().describe("Only scenarios that have not been used up"),
  label: text.optional(),
};
export const ScenarioFilter = z.strictObject(scenarioFilter);
export const Scenarios = z.strictObject({ ...page, ...scenarioFilter });
const flowFilters = {
  ...filters,
  newer_than: text.optional().describe("A sign-in's id: only sign-ins that began after it"),
};
export const Filtered = z.strictObject(flowFilters);
const format = z.enum(["har"]).optional();
export const Format = z.strictObject({ format });
export const Flows = z.strictObject({ ...page, ...flowFilters, format });
export const Requests = z.strictObject({
  ...page,
  ...filters,
  method: z.string().max(16).optional(),
  status: z
    .string()
    .regex(/^[1-5](?:xx|\d\d)$/)
    .optional()
    .describe("A status, such as 404, or a class, such as 4xx"),
  path: text.optional().describe("A part of the path and query"),
  control: yes
    .optional()
    .describe("false excludes requests of the control API, the dashboard and commands that look for their server"),
});
export const Events = z.strictObject({
  format: z.enum(["sse", "ndjson"]).optional().describe("Default: by the Accept header, otherwise text/event-stream"),
  kind: z.enum(["request", "flow"]).optional(),
});

import type * as z from "zod";
import type { ControlRouteDefinition } from "../../wire/control/routes.ts";
import { ApiError } from "../errors.ts";
import type { AppRequest } from "../http/request.ts";
import { parseJson, requireJson } from "../http/routes/json-body.ts";
import { textFaults } from "../seed/faults.ts";
import { checked } from "../zod-errors.ts";

const MAX_FAULTS = 20;

/** The body, by its schema. @throws {ApiError} with the path of each fault */
export async function readBody(
  request: AppRequest,
  { body: schema, isBodyOptional, maxBytes }: ControlRouteDefinition,
): Promise<unknown> {
  if (!schema) return undefined;
  const text = await request.text(maxBytes);
  if (text === "" && !isBodyOptional) throw new ApiError("bad_request", "the body is missing; send a JSON object");
  if (text !== "") requireJson(request);
  return check(text === "" ? {} : parseJson(text), schema, "the body");
}

/** The query, by its schema; a parameter that the route does not know is a fault too. */
export function readQuery(request: AppRequest, schema: z.ZodType | undefined): unknown {
  if (!schema) {
    const [name] = request.query.keys();
    if (name !== undefined) throw new ApiError("bad_request", `${name}: this route takes no query`);
    return undefined;
  }
  return check(Object.fromEntries(request.query), schema, "the query");
}

function check(input: unknown, schema: z.ZodType, whole: string): unknown {
  const { data, faults = textFaults(data) } = checked(schema, input, whole);
  refuseFaults(faults);
  return data;
}

/** @throws {ApiError} `bad_request` with the first faults, if there are any */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ApiError("bad_request", faults.slice(0, MAX_FAULTS).join("; "));
}

import type * as z from "zod/mini";
import { ApiError } from "../errors.ts";
import { textFaults } from "../seed/faults.ts";
import { checked } from "../zod-errors.ts";

const MAX_FAULTS = 20;

/**
 * A query or a body, by its schema. Without one, nothing may be sent.
 * @param whole names the input in an error
 * @throws {ApiError} `bad_request` with the path of each fault
 */
export function check(schema: z.ZodMiniType | undefined, input: unknown, whole: string): unknown {
  if (input === undefined) throw new ApiError("bad_request", `${whole} is missing; send a JSON object`);
  if (schema) {
    const { data, faults = textFaults(data) } = checked(schema, input, whole);
    refuseFaults(faults);
    return data;
  }
  const [name] = Object.keys(input as object);
  if (name !== undefined) throw new ApiError("bad_request", `${name}: this route takes no query`);
  return undefined;
}

/** @throws {ApiError} `bad_request` with the first faults, if there are any */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ApiError("bad_request", faults.slice(0, MAX_FAULTS).join("; "));
}

import type * as z from "zod/mini";
import { Refusal } from "../errors.ts";
import { textFaults } from "../seed/faults.ts";
import { checkedBy, firstOf } from "../zod-errors.ts";
import { durationMs } from "../../text/time.ts";

/**
 * A query or a body, by its schema. Without one, nothing may be sent.
 * @param whole names the input in an error
 * @throws {Refusal} `bad_request` with the path of each fault
 */
export function check(schema: z.ZodMiniType | undefined, input: unknown, whole: string): unknown {
  if (input === undefined) throw new Refusal("bad_request", `${whole} is missing; send a JSON object`);
  if (schema) {
    const { data, faults = textFaults(data) } = checkedBy(schema, input, whole);
    refuseFaults(faults);
    return data;
  }
  const [name] = Object.keys(input as object);
  if (name !== undefined) throw new Refusal("bad_request", `${name}: this route takes no query`);
  return undefined;
}

/** @throws {Refusal} `bad_request` with the first faults, if there are any */
export function refuseFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Refusal("bad_request", firstOf(faults).join("; "));
}

/** Before it, ISO 8601 has years of another form. */
const FIRST_YEAR = Date.parse("0000-01-01T00:00:00Z");
const CLOCK = /^(?:(\d+):)?(\d{1,2}):(\d{2})$/;

/**
 * Milliseconds of a duration such as `61m`, `1h30m`, `30:00` or `01:30:00`, or of a number of milliseconds. Digits as text
 * have no unit: they are seconds to one reader and milliseconds to another.
 * @throws {Refusal} `bad_request`, with the path
 */
export function parseDuration(value: string | number, path: string): number {
  const text = String(value).trim();
  if (typeof value === "string" && /^\d+(?:\.\d+)?$/.test(text))
    throw new Refusal("bad_request", `${path}: "${text}" has no unit; write ${text}s, ${text}m or ${text}ms`);
  const ms = typeof value === "number" ? Math.round(value) : fromText(text);
  if (ms === undefined || !Number.isFinite(ms))
    throw new Refusal("bad_request", `${path}: "${value}" is not a duration; write 61m, 1h30m, 30:00 or milliseconds`);
  return ms;
}

function fromText(text: string): number | undefined {
  const [, hours, minutes, seconds] = CLOCK.exec(text) ?? [];
  if (minutes !== undefined) return ((Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return durationMs(text);
}

/** ISO 8601 of a time, or of a moment so long ago. @param now by the service's clock */
export function parseMoment(value: string, now: Date): string {
  const age = durationMs(value);
  if (age === undefined) return new Date(value).toISOString();
  return new Date(Math.max(FIRST_YEAR, now.getTime() - age)).toISOString();
}

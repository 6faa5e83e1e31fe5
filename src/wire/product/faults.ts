import type * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";

const PARTS = /^(\w+): ?(.*)$/s;

/** The message of a schema of the product API: which error a wrong value is, and what to do. */
export function fault(code: ErrorCode, detail = ""): string {
  return `${code}: ${detail}`;
}

/** The error of input that a schema refuses. Of several faults the first counts. */
export function errorOf({ issues: [first] }: z.core.$ZodError): { code: ErrorCode; detail: string | undefined } {
  const [, code, detail] = PARTS.exec(first?.message ?? "") ?? [];
  return { code: (code ?? "bad_request") as ErrorCode, detail: detail || undefined };
}

import * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";
import type { Fields } from "../search/fields.ts";
import { AFTER, MAX_PAGE_SIZE } from "../http/request.ts";
import { PROVIDERS, unknownProvider } from "../providers.ts";
import { parseQuery, QueryError, type Query } from "../search/query.ts";

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

const text = z.string();

const LIMIT = fault("bad_request", `limit must be a number from 1 to ${MAX_PAGE_SIZE}`);
/** A number in digits alone: no sign, exponent or space. */
const digits = z.transform((value) => (/^\d{1,4}$/.test(String(value)) ? Number(value) : value));
const limit: z.ZodMiniType<number, number> = z.pipe(
  digits,
  z.int(LIMIT).check(z.minimum(1, LIMIT), z.maximum(MAX_PAGE_SIZE, LIMIT)),
) as never;
const page = { limit: z.optional(limit), after: z.optional(text).check(z.describe(AFTER)) };

/** A list. A `query`, which would be taken for a search, is refused. */
export function list(path: string) {
  const refused = z.never(fault("bad_request", `this list takes no query; search with ${path}/search`));
  return z.object({ query: z.optional(refused), ...page });
}

/** A search by these fields. The handler gets the parsed query. */
export function search(fields: Fields) {
  const required = fault("query_required");
  const parsed = z.transform((written: string, context): Query => {
    try {
      return parseQuery(written, fields);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      context.issues.push({ code: "custom", input: written, message: fault("invalid_query", error.message) });
      return z.NEVER;
    }
  });
  return z.object({ query: z.pipe(z.string(required).check(z.trim(), z.minLength(1, required)), parsed), ...page });
}

export const PUBLISHABLE_KEY_TERM = /(?:^|\s)publishable_key:(\S+)/;
const keyRequired = fault("publishable_key_required");
/** The handler gets the key. */
export const InstanceSearch = z.object({
  query: z.pipe(
    z.string(keyRequired).check(z.regex(PUBLISHABLE_KEY_TERM, keyRequired), z.describe("publishable_key:pk_…")),
    z.transform((query) => PUBLISHABLE_KEY_TERM.exec(query)![1]!),
  ),
});

const tokenMissing = fault("missing_token");
export const TokenToVerify = z.object(
  { token: z.string(tokenMissing).check(z.minLength(1, tokenMissing)) },
  tokenMissing,
);

/** An id in the path. UUIDs are read in either case (RFC 9562, 4). */
export const Id = z.object({ id: text.check(z.toLowerCase()) });
const provider = z.enum(PROVIDERS, {
  error: ({ input }) => fault("unknown_provider", unknownProvider(input)),
});
export const ProviderName = z.object({ provider });

/** What is missing is empty, and refused by the step of the sign-in that needs it. */
const textOrEmpty: z.ZodMiniType<string, string> = z.pipe(
  z.transform((value) => value ?? ""),
  text,
) as never;
const start = {
  redirect_uri: textOrEmpty,
  login_hint: z.optional(text),
  instance: z.optional(text).check(z.describe("A subdomain or id; default: the instance of the address")),
  publishable_key: z.optional(text).check(z.describe("Names the instance in place of instance")),
};
const oneInstance = z.refine<{ instance?: unknown; publishable_key?: unknown }>(
  ({ instance, publishable_key }) => instance === undefined || publishable_key === undefined,
  fault("bad_request", "use instance or publishable_key to name the instance, not both"),
);
export const SignIn = z.object({ ...start, provider: z.optional(provider) }).check(oneInstance);
export const Authorize = z.object({ ...start, provider }).check(oneInstance);
export const Callback = z
  .object({ state: textOrEmpty, code: z.optional(text), error: z.optional(text), iss: z.optional(text) })
  .check(
    z.refine(
      ({ code, error }) => code === undefined || error === undefined,
      fault("bad_request", "a callback carries a code or an error, not both"),
    ),
  );

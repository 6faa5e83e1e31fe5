import * as z from "zod/mini";
import type { ErrorCode } from "../errors.ts";
import type { Fields } from "../search/fields.ts";
import { AFTER, MAX_PAGE_SIZE } from "../../http/request.ts";
import { PROVIDERS, unknownProvider } from "../providers.ts";
import { parseQuery, QueryError, type Query } from "../search/query.ts";

/** Which error a wrong value of a schema is, if not `bad_request`. */
const CODES = z.registry<{ readonly code: ErrorCode }>();

/** The error of input that a schema refuses. Of several faults the first counts. */
export function refusalOfInput(schema: z.ZodMiniType, { issues }: z.core.$ZodError) {
  const [{ path, message, ...issue }] = issues as [z.core.$ZodIssue];
  const field = path.length === 0 ? schema : (schema as z.ZodMiniObject).shape[path[0] as string];
  const own = issue.code === "custom" ? (issue.params as { code?: ErrorCode } | undefined) : undefined;
  const { code } = own ?? CODES.get(field!) ?? {};
  return { code: code ?? "bad_request", detail: message === "" ? undefined : message };
}

const text = z.string();
/** The error's own sentence says it all. */
const NO_DETAIL = { error: () => "" };

const LIMIT = `limit must be a number from 1 to ${MAX_PAGE_SIZE}`;
/** A number in digits alone: no sign, exponent or space. */
const digits = z.transform((value) => (/^\d{1,4}$/.test(String(value)) ? Number(value) : value));
const limit: z.ZodMiniType<number, number> = z.pipe(
  digits,
  z.int(LIMIT).check(z.minimum(1, LIMIT), z.maximum(MAX_PAGE_SIZE, LIMIT)),
) as never;
const page = { limit: z.optional(limit), after: z.optional(text).check(z.describe(AFTER)) };

/** A list. A `query`, which would be taken for a search, is refused. */
export function listQuery(path: string) {
  const refused = z.never(`this list takes no query; search with ${path}/search`);
  return z.object({ query: z.optional(refused), ...page });
}

/** A search by these fields. The handler gets the parsed query. */
export function searchQuery(fields: Fields) {
  const parsed = z.transform((written: string, context): Query => {
    try {
      return parseQuery(written, fields);
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      const params = { code: "invalid_query" };
      context.issues.push({ code: "custom", input: written, message: error.message, params });
      return z.NEVER;
    }
  });
  const query = z.pipe(z.string(NO_DETAIL).check(z.trim(), z.minLength(1, NO_DETAIL)), parsed);
  return z.object({ query: query.register(CODES, { code: "query_required" }), ...page });
}

export const PUBLISHABLE_KEY_TERM = /(?:^|\s)publishable_key:(\S+)/;
/** The handler gets the key. */
export const InstanceSearch = z.object({
  query: z
    .pipe(
      z.string(NO_DETAIL).check(z.regex(PUBLISHABLE_KEY_TERM, NO_DETAIL), z.describe("publishable_key:pk_…")),
      z.transform((query) => PUBLISHABLE_KEY_TERM.exec(query)![1]!),
    )
    .register(CODES, { code: "publishable_key_required" }),
});

const tokenMissing = { code: "missing_token" } as const;
const token = z.string(NO_DETAIL).check(z.minLength(1, NO_DETAIL)).register(CODES, tokenMissing);
export const TokenToVerify = z.object({ token }, NO_DETAIL).register(CODES, tokenMissing);

/** An id in the path. UUIDs are read in either case (RFC 9562, 4). */
export const Id = z.object({ id: text.check(z.toLowerCase()) });
const unknown = { code: "unknown_provider" } as const;
const provider = z.enum(PROVIDERS, { error: ({ input }) => unknownProvider(input) }).register(CODES, unknown);
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
  "use instance or publishable_key to name the instance, not both",
);
export const SignInQuery = z
  .object({ ...start, provider: z.optional(provider).register(CODES, unknown) })
  .check(oneInstance);
export const Authorize = z.object({ ...start, provider }).check(oneInstance);
export const Callback = z
  .object({ state: textOrEmpty, code: z.optional(text), error: z.optional(text), iss: z.optional(text) })
  .check(
    z.refine(
      ({ code, error }) => code === undefined || error === undefined,
      "a callback carries a code or an error, not both",
    ),
  );

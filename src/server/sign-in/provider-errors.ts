import type * as z from "zod/mini";

/** Error codes, such as `invalid_client`. Anything else may be data, which stays out of the log. */
const CODE = /^[a-z_]{1,48}$/i;

/** Error codes for client credentials that a provider rejects (RFC 6749, 5.2; GitHub; Twitter). */
export const BAD_CREDENTIALS: ReadonlySet<string> = new Set([
  "invalid_client",
  "incorrect_client_credentials",
  "unauthorized_client",
]);

/** For the log: why a provider's answer can't be used. Names fields and error codes, never values. */
export function refusalOf(
  provider: string,
  endpoint: string,
  status: number,
  reply: unknown,
  fault?: z.core.$ZodError,
): string {
  const code = errorCodeOf(reply);
  if (code !== undefined && BAD_CREDENTIALS.has(code))
    return `${provider} rejected the client credentials (${code}). Check client_id and client_secret`;
  const request = `${provider} ${endpoint}`;
  if (code !== undefined) return `${request}: status ${status}, error ${code}`;
  if (status !== 200) return `${request}: status ${status}`;
  const paths = fault?.issues.map(({ path }) => path.join(".")) ?? [""];
  if (paths.includes("")) return `${request}: the answer has the wrong form`;
  return `${request}: ${[...new Set(paths)].join(", ")} missing or of the wrong form`;
}

/** The error code in a provider's redirect, if it has the form of one. */
export function reportedCode(error: string): string {
  return CODE.test(error) ? error : "an error";
}

/** `error` (RFC 6749, 5.2), `error.status` (Google's APIs), or the first of `errors` (Twitter's). */
function errorCodeOf(reply: unknown): string | undefined {
  const { error, errors } = (reply ?? {}) as { error?: unknown; errors?: unknown };
  const first = Array.isArray(errors) ? (errors[0] as { title?: unknown } | null)?.title : undefined;
  const candidates = [error, (error as { status?: unknown } | null | undefined)?.status, first];
  return candidates.find((code): code is string => typeof code === "string" && CODE.test(code));
}

import type { TokenClaims } from "../../wire/claims.ts";
import { ERRORS, SIGN_IN_ERRORS, type SignInErrorCode } from "../../wire/errors.ts";
import { NONCE } from "../../wire/redirect-uri.ts";
import { ConfigError, SignInError, TokenError } from "../errors.ts";
import { timeOf } from "../known-options.ts";
import type { RequestLike } from "../request-headers.ts";
import { verdictOf } from "../token.ts";
import { attemptWith, endOf, openAttempts } from "./attempt.ts";
import { askedBy } from "./navigation.ts";
import { checkSignInOptions, SIGN_IN_OPTIONS, type SignInOptions } from "./options.ts";

/** A request with its address, or with its path and query alone, as Node has it. */
export interface CallbackRequest extends RequestLike {
  readonly url?: string | undefined;
}

/** Set `headers` on the answer in both cases: they end the sign-in in the browser. */
export type FinishedSignIn =
  | {
      readonly ok: true;
      readonly claims: TokenClaims;
      readonly token: string;
      /** The path to redirect to: `returnTo` of `beginSignIn`, or `/`. */
      readonly returnTo: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly ok: false;
      readonly error: SignInError | TokenError;
      readonly headers: Readonly<Record<string, string>>;
    };

/** The callback's address has the token, so it is neither kept nor passed on. */
const HEADERS = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
/** What the service says in `error_description`. Anything else could become part of a page. */
const PLAIN = /^[\w .,:;'()-]{1,300}$/;

/**
 * Finishes a sign-in at the application's callback: only one that this browser began by `beginSignIn`, within ten minutes,
 * and once. The token is verified by the secret key alone, without a request.
 * @param request what the framework has: a `Request`, or Express's `req`
 * @param options the same as those of `beginSignIn`
 * @returns `ok: false` with an error whose `code` is `sign_in_not_begun` or `sign_in_refused`, one of the service's, such as
 * `access_denied`, or one of a token's, such as `token_expired`
 * @throws {ConfigError} for unknown, missing or invalid options
 */
export async function finishSignIn(request: CallbackRequest, options: SignInOptions): Promise<FinishedSignIn> {
  const origin = checkSignInOptions("finishSignIn", options, SIGN_IN_OPTIONS);
  const { now: clock = Date.now } = options;
  if (askedBy(request) !== undefined)
    return failed("sign_in_refused", "A sign-in ends when a person navigates, not in a script, frame or prefetch");

  const query = queryOf(request, origin);
  const nonce = only(query, NONCE);
  if (nonce === undefined)
    return failed("sign_in_not_begun", "No sign-in began here: the address has no nonce. Begin one at the application");
  const open = openAttempts(request, origin, Math.floor(timeOf(clock) / 1000));
  const attempt = attemptWith(nonce, open);
  if (attempt === undefined)
    return failed(
      "sign_in_not_begun",
      open.length === 0
        ? "This browser has no sign-in open: it began none, has finished it, or took longer than ten minutes. Sign in again"
        : "The nonce is not that of a sign-in that this browser has open. Sign in again",
    );

  const headers = { ...HEADERS, "set-cookie": endOf(attempt, origin) };
  const error = query.get("error");
  if (error !== null) return { ok: false, error: reported(error, query.get("error_description") ?? ""), headers };
  const token = only(query, "token");
  if (token === undefined) {
    const missing = new TokenError("missing_token", ERRORS.missing_token.error, { reason: "missing" });
    return { ok: false, error: missing, headers };
  }
  const result = await verdictOf(token, options);
  if (!result.ok) return { ok: false, error: result.error, headers };
  return { ok: true, claims: result.claims, token, returnTo: attempt.returnTo, headers };
}

/** An open sign-in stays open: this callback is not its own. */
function failed(code: "sign_in_refused" | "sign_in_not_begun", message: string): FinishedSignIn {
  return { ok: false, error: new SignInError(code, message), headers: HEADERS };
}

/** What the service reports, which alone could know the nonce. */
function reported(error: string, description: string): SignInError {
  const code = Object.hasOwn(SIGN_IN_ERRORS, error) ? (error as SignInErrorCode) : "unknown";
  const own = code === "unknown" ? "The sign-in failed." : SIGN_IN_ERRORS[code];
  return new SignInError(code, PLAIN.test(description) ? description : own);
}

function queryOf({ url }: CallbackRequest, origin: string): URLSearchParams {
  if (typeof url !== "string" || !URL.canParse(url, origin))
    throw new ConfigError("The request has no url. Pass a Request or Node's own, such as c.req.raw in Hono");
  return new URL(url, origin).searchParams;
}

/** The value of a parameter. One that comes twice could be read two ways. */
function only(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  return others.length > 0 ? undefined : value;
}

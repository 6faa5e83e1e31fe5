/** A sign-in for an application, in two calls: jose and no other package, and nothing of Node's own. */
import type { Provider } from "../wire/providers.ts";
import { readRedirectUri, NONCE } from "../wire/redirect-uri.ts";
import { PUBLISHABLE_KEY_PREFIX } from "../wire/ids.ts";
import { ConfigError, missingToken, SignInError, type TokenError } from "./errors.ts";
import { checkKey, type Names, checkAddress, timeOf } from "./options.ts";
import { checkSignIn, signInUrl } from "./sign-in-url.ts";
import { checkVerifyOptions, VERIFY_OPTIONS, type VerifyTokenOptions, verdictOf } from "./token.ts";
import { trimSlash } from "../http/request.ts";
import type { RequestLike } from "./authenticate.ts";
import {
  cookieOf,
  newAttempt,
  openAttempts,
  askedBy,
  isAtOtherLoopback,
  isFromAnotherSite,
  attemptWith,
  endOf,
} from "./attempt.ts";
import type { TokenClaims } from "../wire/claims.ts";
import { SIGN_IN_ERRORS, type SignInErrorCode } from "../wire/errors.ts";
import { urlFrom } from "../http/address.ts";

/** What both calls of an application take. */
export interface SignInOptions extends VerifyTokenOptions {
  /** {base_url}, as browsers reach it: what `createClient` has as `publicUrl`, if it has one. */
  readonly baseUrl: string;
  /** The application's callback, as browsers reach it, such as `https://app.example.com/callback`. */
  readonly redirectUri: string;
  /** `pk_…`, which names the instance if several share `baseUrl`. */
  readonly publishableKey?: string | undefined;
}

export interface BeginSignInOptions extends SignInOptions {
  /** Default: the instance's. */
  readonly provider?: Provider | undefined;
  /** The account to choose, such as an e-mail address. */
  readonly loginHint?: string | undefined;
  /**
   * A path of the application to return to, such as `/orders?page=2`. It may come from the address of the request: what is
   * not such a path counts as `/`.
   */
  readonly returnTo?: unknown;
}

const SIGN_IN_OPTIONS: Names<SignInOptions> = {
  ...VERIFY_OPTIONS,
  baseUrl: true,
  redirectUri: true,
  publishableKey: true,
};

const BEGIN_OPTIONS: Names<BeginSignInOptions> = {
  ...SIGN_IN_OPTIONS,
  provider: true,
  loginHint: true,
  returnTo: true,
};

/** @returns where the application is @throws {ConfigError} for options that could not sign anyone in, before anyone tries */
function checkSignInOptions<Options extends SignInOptions>(
  of: string,
  options: Options,
  known: Names<Options>,
): string {
  checkVerifyOptions(of, options, known);
  const { baseUrl, redirectUri, publishableKey } = options;
  checkAddress("baseUrl", baseUrl ?? "");
  if (publishableKey !== undefined) checkKey("publishableKey", publishableKey, PUBLISHABLE_KEY_PREFIX);
  checkSignIn({ redirectUri });
  const read = readRedirectUri(redirectUri);
  if ("problem" in read || read.hostname === undefined)
    throw new ConfigError("redirectUri must be an http or https address: an application without one has no cookies");
  if (new URLSearchParams(read.query).has(NONCE))
    throw new ConfigError(`redirectUri must not have a parameter ${NONCE}: ${of} adds one`);
  return read.origin;
}

/** Set `headers` on the answer in both cases. */
export type BegunSignIn =
  | {
      readonly ok: true;
      /** Where to redirect the browser to. */
      readonly location: string;
      /** `location`, and the cookie that binds the sign-in to this browser, as `set-cookie`. */
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly error: SignInError; readonly headers: Readonly<Record<string, string>> };

const BEGINS = "A sign-in begins with a click on a page of the application";
const REFUSALS = {
  websocket: `${BEGINS}, not with a WebSocket`,
  prefetch: `${BEGINS}, not with a prefetch or prerender`,
  embedded: `${BEGINS}, not in a script, an image or a frame. Use a link, or set window.location`,
};

/**
 * Begins a sign-in in the browser that sent a request. The sign-in is bound to this browser by a random value, `nonce`,
 * which is in a cookie for ten minutes and comes back with the callback's address: `finishSignIn` compares them. A user may
 * have several open, in several tabs.
 * @param request what the framework has: a `Request`, or Express's `req`
 * @returns `ok: false`, with the code `sign_in_refused`, for a request that no person made on a page of the application,
 * or at another loopback name than that of `redirectUri`
 * @throws {ConfigError} for unknown, missing or invalid options
 */
export async function beginSignIn(request: RequestLike, options: BeginSignInOptions): Promise<BegunSignIn> {
  const origin = checkSignInOptions("beginSignIn", options, BEGIN_OPTIONS);
  const { baseUrl, publishableKey, redirectUri, provider, loginHint, returnTo, now: clock = Date.now } = options;

  const asked = askedBy(request);
  if (asked !== undefined) return beginRefused(REFUSALS[asked]);
  if (isFromAnotherSite(request)) return beginRefused(`${BEGINS}. Another site sent this browser here`);

  if (isAtOtherLoopback(request, origin))
    return beginRefused(`Open the application at ${origin}, the host of its redirectUri: its cookie goes to no other`);

  const now = Math.floor(timeOf(clock) / 1000);
  const attempt = newAttempt(openAttempts(request, origin, now), origin, now, returnTo);
  const callback = `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${NONCE}=${attempt.nonce}`;
  checkSignIn({ redirectUri: callback, provider, loginHint });
  const location = signInUrl(trimSlash(baseUrl), { redirectUri: callback, provider, loginHint }, publishableKey);
  const headers = { location, "set-cookie": cookieOf(attempt, origin), "cache-control": "no-store" };
  return { ok: true, location, headers };
}

function beginRefused(message: string): BegunSignIn {
  return { ok: false, error: new SignInError("sign_in_refused", message), headers: { "cache-control": "no-store" } };
}

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
        ? "This browser has no sign-in open: it began none, has finished it, took longer than ten minutes, or blocks cookies. Sign in again"
        : "The nonce is not that of a sign-in that this browser has open. Sign in again",
    );

  const headers = { ...HEADERS, "set-cookie": endOf(attempt, origin) };
  const error = query.get("error");
  if (error !== null) return { ok: false, error: reported(error, query.get("error_description") ?? ""), headers };
  const token = only(query, "token");
  if (token === undefined) return { ok: false, error: missingToken(), headers };
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
  const asked = typeof url === "string" ? urlFrom(url, origin) : undefined;
  if (asked === undefined)
    throw new ConfigError("The request has no url. Pass a Request or Node's own, such as c.req.raw in Hono");
  return asked.searchParams;
}

/** The value of a parameter. One that comes twice could be read two ways. */
function only(query: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = query.getAll(name);
  return others.length > 0 ? undefined : value;
}

export type { RequestLike } from "./authenticate.ts";
export { ConfigError, isServiceError, SignInError, TokenError, type ErrorCode, type SignInCode } from "./errors.ts";
export type { Provider } from "../wire/providers.ts";
export type { TokenClaims } from "../wire/claims.ts";

import { trimSlash } from "../../wire/http/request.ts";
import { NONCE } from "../../wire/redirect-uri.ts";
import { SignInError } from "../errors.ts";
import { timeOf } from "../known-options.ts";
import type { RequestLike } from "../request-headers.ts";
import { checkSignIn, signInUrl } from "../sign-in-url.ts";
import { cookieOf, newAttempt, openAttempts } from "./attempt.ts";
import { askedBy, isFromAnotherSite } from "./navigation.ts";
import { BEGIN_OPTIONS, checkSignInOptions, type BeginSignInOptions } from "./options.ts";

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
 * @returns `ok: false`, with the code `sign_in_refused`, for a request that no person made on a page of the application
 * @throws {ConfigError} for unknown, missing or invalid options
 */
export async function beginSignIn(request: RequestLike, options: BeginSignInOptions): Promise<BegunSignIn> {
  const origin = checkSignInOptions("beginSignIn", options, BEGIN_OPTIONS);
  const { baseUrl, publishableKey, redirectUri, provider, loginHint, returnTo, now: clock = Date.now } = options;

  const asked = askedBy(request);
  if (asked !== undefined) return refused(REFUSALS[asked]);
  if (isFromAnotherSite(request)) return refused(`${BEGINS}. Another site sent this browser here`);

  const now = Math.floor(timeOf(clock) / 1000);
  const attempt = newAttempt(openAttempts(request, origin, now), origin, now, returnTo);
  const callback = `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${NONCE}=${attempt.nonce}`;
  checkSignIn({ redirectUri: callback, provider, loginHint });
  const location = signInUrl(trimSlash(baseUrl), { redirectUri: callback, provider, loginHint }, publishableKey);
  const headers = { location, "set-cookie": cookieOf(attempt, origin), "cache-control": "no-store" };
  return { ok: true, location, headers };
}

function refused(message: string): BegunSignIn {
  return { ok: false, error: new SignInError("sign_in_refused", message), headers: { "cache-control": "no-store" } };
}

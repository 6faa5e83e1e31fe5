import type { Provider } from "../../wire/providers.ts";
import { readRedirectUri, NONCE } from "../../wire/redirect-uri.ts";
import { PUBLISHABLE_KEY_PREFIX } from "../../wire/ids.ts";
import { ConfigError } from "../errors.ts";
import { checkKey } from "../keys.ts";
import type { Names } from "../known-options.ts";
import { checkAddress } from "../options.ts";
import { checkSignIn } from "../sign-in-url.ts";
import { checkVerifyOptions, secretKeysOf, VERIFY_OPTIONS, type VerifyTokenOptions } from "../token.ts";

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

export const SIGN_IN_OPTIONS: Names<SignInOptions> = {
  ...VERIFY_OPTIONS,
  baseUrl: true,
  redirectUri: true,
  publishableKey: true,
};

export const BEGIN_OPTIONS: Names<BeginSignInOptions> = {
  ...SIGN_IN_OPTIONS,
  provider: true,
  loginHint: true,
  returnTo: true,
};

/** @returns where the application is @throws {ConfigError} for options that could not sign anyone in, before anyone tries */
export function checkSignInOptions<Options extends SignInOptions>(
  of: string,
  options: Options,
  known: Names<Options>,
): string {
  checkVerifyOptions(of, options, known);
  secretKeysOf(options);
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

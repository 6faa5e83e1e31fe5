import { suggestion } from "../text/suggestion.ts";
import { isProvider, PROVIDERS, type Provider } from "../wire/providers.ts";
import { readRedirectUri } from "../wire/redirect-uri.ts";
import { ConfigError } from "./errors.ts";
import { checkNames } from "./options.ts";
import { urlFrom } from "../http/address.ts";

export interface SignInParameters {
  /** The absolute address that the user returns to, such as `https://app.example.com/callback`. */
  readonly redirectUri: string;
  /** Default: the instance's. */
  readonly provider?: Provider | undefined;
  /** The account to choose, such as an e-mail address. */
  readonly loginHint?: string | undefined;
}

/** @throws {ConfigError} for parameters that the service would refuse, or ignore */
export function checkSignIn(parameters: SignInParameters): void {
  checkNames("signInUrl", parameters, { redirectUri: true, provider: true, loginHint: true });
  const { redirectUri, provider, loginHint } = parameters;
  if (typeof redirectUri !== "string" || !urlFrom(redirectUri))
    throw new ConfigError("redirectUri must be an absolute address, such as https://app.example.com/callback");
  const read = readRedirectUri(redirectUri);
  if ("problem" in read) throw new ConfigError(`redirectUri can't be used: ${read.problem}`);
  if (provider !== undefined && !isProvider(provider)) {
    const name = String(provider);
    throw new ConfigError(`Unknown provider "${name}". ${suggestion(name, PROVIDERS, "providers")}`);
  }
  if (loginHint !== undefined && typeof loginHint !== "string") throw new ConfigError("loginHint must be a string");
}

/**
 * @param base the address of the service or of the instance
 * @param publishableKey names the instance, if several share the address
 */
export function signInUrl(
  base: string,
  { redirectUri, provider, loginHint }: SignInParameters,
  publishableKey: string | undefined,
): string {
  const url = new URL(`${base}${provider ? "/oauth/authorize" : "/sign-in"}`);
  if (provider) url.searchParams.set("provider", provider);
  url.searchParams.set("redirect_uri", redirectUri);
  if (loginHint) url.searchParams.set("login_hint", loginHint);
  if (publishableKey !== undefined) url.searchParams.set("publishable_key", publishableKey);
  return url.href;
}

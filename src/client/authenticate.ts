import { ConfigError, type TokenError, missingToken } from "./errors.ts";
import { cookiesIn } from "../http/headers.ts";
import type { Names } from "./options.ts";
import { checkVerifyOptions, VERIFY_OPTIONS, verdictOf, type TokenClaims, type VerifyTokenOptions } from "./token.ts";

/**
 * A request of fetch (`Request`, a `Headers` inside), of Node (`IncomingMessage`, an object inside), or an event of a gateway,
 * whose names may have capitals.
 */
export interface RequestLike {
  readonly headers:
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** @param name in lower case @throws {ConfigError} for what has no headers */
export function headerOf(request: RequestLike, name: string): string | undefined {
  // A program without types may pass anything, such as Hono's context. Some gateways have null for no headers.
  const headers = request?.headers;
  if (typeof headers !== "object")
    throw new ConfigError("The request has no headers. Pass a Request or Node's own, such as c.req.raw in Hono");
  if (typeof headers?.get === "function") return headers.get(name) ?? undefined;
  const fields = (headers ?? {}) as Readonly<Record<string, string | readonly string[] | undefined>>;
  const value = fields[name] ?? fields[Object.keys(fields).find((key) => key.toLowerCase() === name) ?? name];
  return typeof value === "object" ? value.join("; ") : value;
}

export interface AuthenticateOptions extends VerifyTokenOptions {
  /**
   * The cookie to read the token from if there is no `Authorization: Bearer`. Browsers send cookies with every request,
   * so set it with `HttpOnly; Secure; SameSite=Lax` and a name that begins with `__Host-`. Default: no cookie is read.
   */
  readonly cookie?: string | undefined;
}

const OPTIONS: Names<AuthenticateOptions> = { ...VERIFY_OPTIONS, cookie: true };

/** @throws {ConfigError} */
export function checkAuthenticateOptions(of: string, options: AuthenticateOptions): void {
  checkVerifyOptions(of, options, OPTIONS);
  if (options.cookie !== undefined && typeof options.cookie !== "string")
    throw new ConfigError('cookie must be the name of a cookie, such as "__Host-token"');
}

/** Who makes a request. */
export type AuthState =
  | { readonly status: "signed-in"; readonly claims: TokenClaims; readonly token: string; readonly via: Source }
  | { readonly status: "signed-out"; readonly error: TokenError };

type Source = "header" | "cookie";

/**
 * Who makes a request, by its `Authorization: Bearer` (RFC 6750, 2.1), or by the cookie in the options. A token in the
 * address is never read: addresses are logged, and sent to other sites.
 * @throws {ConfigError} for an invalid secret key, for unknown or missing options, and for what has no headers
 */
export async function authenticateRequest(request: RequestLike, options: AuthenticateOptions): Promise<AuthState> {
  checkAuthenticateOptions("authenticateRequest", options);
  const { token, via } = tokenOf(request, options.cookie);
  if (token === undefined) return { status: "signed-out", error: missingToken() };
  const result = await verdictOf(token, options);
  if (!result.ok) return { status: "signed-out", error: result.error };
  return { status: "signed-in", claims: result.claims, token, via };
}

/** The header has precedence, even if its token is not valid. */
function tokenOf(request: RequestLike, cookie: string | undefined): { token: string | undefined; via: Source } {
  const authorization = headerOf(request, "authorization") ?? "";
  const [scheme = "", ...rest] = authorization.split(/ +/);
  if (scheme.toLowerCase() === "bearer") return { token: rest.join(" "), via: "header" };
  if (cookie === undefined) return { token: undefined, via: "cookie" };
  return { token: cookiesIn(headerOf(request, "cookie") ?? "").get(cookie), via: "cookie" };
}

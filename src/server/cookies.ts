/** A cookie of the service, which scripts can't read. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** The path below which a browser sends it. With https it is `/`, see `hostCookie`. */
  readonly path: string;
  /** In seconds; 0 deletes the cookie. */
  readonly maxAge: number;
}

/** `Set-Cookie` for a cookie. */
export function setCookie({ name, value, path, maxAge }: Cookie, isHttps: boolean): string {
  const scope = isHttps ? "Path=/; Secure" : `Path=${path}`;
  return `${hostCookie(name, isHttps)}=${value}; ${scope}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}`;
}

/**
 * The name of a cookie that no other host can set. The prefix that promises it requires `Path=/` and `Secure`
 * (RFC 6265bis, 4.1.3.2), so plain http goes without.
 */
export function hostCookie(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}

/** The value of a cookie in a `Cookie` header; undefined if it has none of this name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const start = `${name}=`;
  const pair = header?.split(/;[ \t]*/).find((each) => each.startsWith(start));
  return pair?.slice(start.length);
}

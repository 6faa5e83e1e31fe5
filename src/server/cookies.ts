/** A cookie of the service. Scripts can't read it, and other sites' requests carry it in a navigation only. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** The path below which a browser sends it. */
  readonly path: string;
  /** Only over https. */
  readonly secure: boolean;
  /** In seconds; 0 deletes the cookie. */
  readonly maxAge: number;
}

/** The value of a cookie that a browser sent. */
export type ReadCookie = (name: string) => string | undefined;

/**
 * A cookie that no other host can set, where that can be promised: the prefix requires `Path=/` and `Secure`
 * (RFC 6265bis, 4.1.3.2), so plain http goes without.
 */
export function hostCookie({ name, path, ...cookie }: Omit<Cookie, "secure">, isHttps: boolean): Cookie {
  return { ...cookie, name: hostName(name, isHttps), path: isHttps ? "/" : path, secure: isHttps };
}

/** The name that `hostCookie` gives to a cookie. */
export function hostName(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}

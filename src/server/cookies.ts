/** A cookie of the service. Scripts can't read it, and other sites' requests carry it in a navigation only. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
  /** In seconds; 0 deletes the cookie. */
  readonly maxAge: number;
}

/** By name. One that came twice is empty: another site of the same domain may have set one of them. */
export type Cookies = ReadonlyMap<string, string>;

/**
 * A cookie that no other host can set, where that can be promised: the prefix requires `Path=/` and `Secure`
 * (RFC 6265bis, 4.1.3.2), so plain http goes without.
 */
export function hostCookie({ name, path, ...cookie }: Omit<Cookie, "secure">, isHttps: boolean): Cookie {
  return { ...cookie, name: hostName(name, isHttps), path: isHttps ? "/" : path, secure: isHttps };
}

export function hostName(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}

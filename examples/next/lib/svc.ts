import type { SignInOptions } from "svc-identity/sign-in";

/** Read when they are first used: while Next.js builds, there are no keys. */
export function signIn(): SignInOptions {
  return {
    secretKey: env("SVC_SECRET_KEY"),
    baseUrl: env("SVC_BASE_URL"),
    redirectUri: `${origin()}/callback`,
  };
}

export function env(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** The address of this application in a browser. Behind a proxy, a request's own address is another one. */
function origin(): string {
  return process.env["APP_ORIGIN"] ?? `http://localhost:${process.env["PORT"] ?? 3000}`;
}

/** Over https the prefix keeps other hosts of the domain from setting it. */
export function cookieName(): string {
  return isHttps() ? "__Host-token" : "token";
}

function isHttps(): boolean {
  return origin().startsWith("https:");
}

export function setCookie(name: string, value: string, maxAge: number): string {
  const secure = isHttps() ? "; Secure" : "";
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`;
}

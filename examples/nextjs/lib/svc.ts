import { createClient, type Client } from "svc-identity";

let client: Client | undefined;

/** Made when it is first used: while Next.js builds, there are no keys. */
export function svc(): Client {
  return (client ??= createClient({ secretKey: env("SVC_SECRET_KEY"), baseUrl: env("SVC_BASE_URL") }));
}

export function env(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** The address of this application in a browser. Behind a proxy, a request's own address is another one. */
export function origin(): string {
  return process.env["APP_ORIGIN"] ?? `http://localhost:${process.env["PORT"] ?? 3000}`;
}

export const COOKIE = "token";
export const ATTEMPT = "signing_in";

export function setCookie(name: string, value: string, maxAge: number): string {
  const secure = process.env["NODE_ENV"] === "production" ? "; Secure" : "";
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`;
}

export function hasCookie(request: Request, name: string): boolean {
  const pairs = (request.headers.get("cookie") ?? "").split(";");
  return pairs.some((pair) => pair.split("=")[0]!.trim() === name);
}

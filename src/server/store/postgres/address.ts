import { readFileSync } from "node:fs";
import { StoreRefused } from "../store.ts";

/** Where a database is, and how to get in. */
export interface Address {
  /** For people: without the password and the parameters. */
  readonly location: string;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly database: string | undefined;
  readonly username: string | undefined;
  /** Undefined: `PGPASSWORD`, or none. */
  readonly password: string | undefined;
  readonly tls: "disable" | "prefer" | "require" | { readonly ca?: string };
  readonly application_name: string;
}

const SSL_MODES = ["disable", "prefer", "require", "verify-full"];
const PARAMETERS = ["sslmode", "sslrootcert", "host", "application_name"];

/**
 * Reads `postgres://user@host:port/database?sslmode=…`. What it leaves out comes from `PGHOST`, `PGPORT`, `PGUSER`,
 * `PGPASSWORD` and `PGDATABASE`, as with every program that speaks to PostgreSQL.
 * @throws {StoreRefused} in whose message nothing of the address is repeated that could be part of a password
 */
export function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw refused("can't be read. Write postgres://user@host:5432/database, and characters such as / # ? % as %2F …");
  const database = decoded(url.pathname.slice(1));
  // What lies behind the host is printed, and a password with a bare / in it ends up there.
  if (/[@/:]/.test(database))
    throw refused("has a /, @ or : behind the host. If that belongs to the password, write it as %2F, %40 or %3A.");
  const parameters = url.searchParams;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw refused(`has a parameter that svc doesn't know. It knows ${PARAMETERS.join(", ")}.`);
  const username = decoded(url.username);
  const host = parameters.get("host") ?? url.hostname.replace(/^\[(.*)\]$/, "$1");
  const shown = parameters.has("host") ? parameters.get("host")! : url.host;
  return {
    location: `postgres://${username === "" ? "" : `${username}@`}${shown}/${database}`,
    host: host || undefined,
    port: url.port === "" ? undefined : Number(url.port),
    database: database || undefined,
    username: username || undefined,
    password: decoded(url.password) || undefined,
    tls: tlsOf(parameters),
    application_name: parameters.get("application_name") ?? "svc",
  };
}

function tlsOf(parameters: URLSearchParams): Address["tls"] {
  const mode = parameters.get("sslmode") ?? "prefer";
  if (!SSL_MODES.includes(mode)) throw refused(`has a sslmode that is none of ${SSL_MODES.join(", ")}.`);
  if (mode !== "verify-full") return mode as "disable" | "prefer" | "require";
  const path = parameters.get("sslrootcert");
  if (path === null || path === "system") return {};
  try {
    return { ca: readFileSync(path, "utf8") };
  } catch (error) {
    throw refused(`names a sslrootcert that can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused("has a % that begins no escape. Write a % as %25.");
  }
}

function refused(why: string): StoreRefused {
  return new StoreRefused("unusable", `The address of the PostgreSQL store ${why}`);
}

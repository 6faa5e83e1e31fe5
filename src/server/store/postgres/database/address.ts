import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { badAddress } from "./reasons.ts";
import { tlsOf } from "./tls.ts";
import { urlFrom } from "../../../../http/address.ts";

export interface DatabaseHost {
  /** A name, an IP address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export type Address = ReturnType<typeof parseAddress>;

/** The variables of libpq that fill in what an address omits. */
type Environment = Readonly<Record<string, string | undefined>>;

const PARAMETERS: readonly string[] = [
  "host",
  "port",
  "sslmode",
  "sslrootcert",
  "target_session_attrs",
  "connect_timeout",
  "options",
  "passfile",
  "application_name",
  "schema_owner",
  "pool_size",
  "pool_timeout",
  "list_connections",
  "statement_timeout",
];

/**
 * Reads `postgres://user@host:port,host:port/database?sslmode=…`, as libpq does. What it omits comes from `PGHOST`,
 * `PGPORT`, `PGUSER`, `PGPASSWORD`, `PGDATABASE` and the other variables of libpq.
 * @throws {ServeError} with a message that repeats nothing that could be part of a password
 */
export function parseAddress(text: string, variables: Environment = {}) {
  // CI systems set a variable without a value to nothing.
  const env: Environment = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const { url, hosts: urls } = split(text);
  const path = decoded(url.pathname.slice(1));
  // The part after the host is printed, and would contain a password that has an unencoded /.
  if (/[@/:]/.test(path))
    throw badAddress("has a /, @ or : after the host. If it belongs to the password, write it as %2F, %40 or %3A.");
  if (url.hash !== "") throw badAddress("has a #. If it belongs to the password, write it as %23.");
  const parameters = url.searchParams;
  checkParameters(url);
  const parameter = (name: string, variable: string): string | undefined =>
    (parameters.get(name) ?? env[variable]) || undefined;

  const named = decoded(url.username);
  const username = named || (env["PGUSER"] ?? userInfo().username);
  const hosts = hostsOf(urls, parameters, env);
  const shown = parameters.get("host") ?? urls.map((one) => one.host).join(",");
  return {
    /** For people: without the password and the parameters. */
    location: `postgres://${named === "" ? "" : `${named}@`}${shown}/${path}`,
    hosts,
    username,
    database: path || (env["PGDATABASE"] ?? username),
    /** Undefined if it is in the password file, or there is none. */
    password: decoded(url.password) || env["PGPASSWORD"] || undefined,
    passwordFile: parameter("passfile", "PGPASSFILE") ?? join(homedir(), ".pgpass"),
    tls: tlsOf(parameter("sslmode", "PGSSLMODE"), parameter("sslrootcert", "PGSSLROOTCERT")),
    mustWrite: mustWrite(parameter("target_session_attrs", "PGTARGETSESSIONATTRS"), hosts.length),
    application_name: parameters.get("application_name") ?? "svc",
    /** A further role that may own the schema. */
    schemaOwner: parameters.get("schema_owner") ?? undefined,
    /** Command-line options for the server process, as in `-c geqo=off`. */
    options: parameter("options", "PGOPTIONS"),
    limits: limitsOf(parameters, env["PGCONNECT_TIMEOUT"], hosts.length),
  };
}

function checkParameters({ search, searchParams }: URL): void {
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown === undefined) return;
  // What is before an @ may be the end of a password that has an unencoded ?.
  const named = search.includes("@") ? "an unknown parameter" : `the unknown parameter ${JSON.stringify(unknown)}`;
  throw badAddress(`has ${named}. Known ones: ${PARAMETERS.join(", ")}.`);
}

/** A URL has one host, libpq's addresses any number. @returns it with the first host, and each host as it is written */
function split(text: string) {
  const [, scheme, login = "", named = "", rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/.exec(text) ?? [];
  const hosts = named === "" ? [] : named.split(",").map((host) => `postgres://${host}`);
  const first = named.split(",")[0] || (login === "" ? "" : "localhost");
  const whole = `${scheme}${login}${first}${rest}`;
  const [url, ...each] = [whole, ...hosts].map((one) => urlFrom(one));
  if (!url || each.includes(undefined))
    throw badAddress(
      "is not valid. Write postgres://user@host:5432/database, and characters such as / # ? % as %2F %23 %3F %25.",
    );
  return { url, hosts: each as URL[] };
}

function hostsOf(urls: readonly URL[], parameters: URLSearchParams, env: Environment): DatabaseHost[] {
  const listed = parameters.get("host") ?? (urls.length === 0 ? (env["PGHOST"] ?? "localhost") : undefined);
  const names = listed?.split(",") ?? urls.map((url) => decoded(url.hostname.replace(/^\[(.*)\]$/, "$1")));
  const ports = (parameters.get("port") ?? env["PGPORT"] ?? "5432").split(",");
  if (ports.length > 1 && ports.length !== names.length)
    throw badAddress("has a different number of ports and hosts.", "PGPORT");
  return names.map((host, n) => {
    const own = urls.length === names.length ? urls[n]!.port : "";
    const port = Number(own || (ports[n] ?? ports[0]));
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw badAddress("has a port that is not a number from 1 to 65535.", "PGPORT");
    return { host: host.trim(), port };
  });
}

/** svc writes, so a standby is not enough. With one host that is an error, with several the next one is tried. */
function mustWrite(value: string | undefined, hosts: number): boolean {
  if (value === undefined) return hosts > 1;
  if (["any", "read-write", "primary"].includes(value)) return value !== "any";
  throw badAddress(
    "has a target_session_attrs that svc can't use, because it writes. Use read-write, primary or any.",
    "PGTARGETSESSIONATTRS",
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badAddress("has a % that starts no escape. Write a % as %25.");
  }
}

/** PostgreSQL must time out a statement before we consider PostgreSQL lost because of one slow search. */
const MARGIN_MS = 500;

/** The connections of one process to a database, and its timeouts. @throws {ServeError} */
function limitsOf(parameters: URLSearchParams, connectTimeout: string | undefined, hosts: number) {
  const whole = (name: string, least: number, most: number, otherwise: number, text?: string): number => {
    const given = parameters.get(name) ?? text;
    if (given === undefined || given === "") return otherwise;
    const value = /^\d+$/.test(given) ? Number(given) : NaN;
    if (value >= least && value <= most) return value;
    const variable = text === undefined ? undefined : "PGCONNECT_TIMEOUT";
    throw badAddress(`has a ${name} that is not a whole number from ${least} to ${most}.`, variable);
  };
  const statement = whole("statement_timeout", 1, 600, 4);
  const wait = whole("pool_timeout", 1, 600, statement) * 1000;
  return {
    /** Connections for short statements. */
    poolSize: whole("pool_size", 1, 1000, 10),
    /** Further connections for searches, and as many for lists that are being read. */
    listConnections: whole("list_connections", 1, 1000, 4),
    // An unreachable host must leave time to try the next one.
    connectTimeoutMs: whole("connect_timeout", 1, 600, hosts > 1 ? 2 : 4, connectTimeout) * 1000,
    /** For one statement of a request, after which PostgreSQL cancels it. */
    statementTimeoutMs: statement * 1000,
    /** For a whole request: the wait for a connection, and the answer. */
    answerWithinMs: Math.max(wait, statement * 1000) + MARGIN_MS,
  };
}

import { existsSync, readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkServerIdentity, type ConnectionOptions, type PeerCertificate } from "node:tls";
import { systemReason } from "../../../../disk/system-reason.ts";
import { badAddress } from "./reasons.ts";

const MODES = ["disable", "require", "verify-ca", "verify-full"] as const;

export type Tls = ReturnType<typeof tlsOf>;

/**
 * How connections are encrypted, in the words of libpq's `sslmode`, and the certificates of the trusted authorities.
 * Default: `verify-full` by those that Node trusts, or `disable` if the connection stays on the machine.
 *
 * `require` with a root certificate means `verify-ca`, as in libpq; so does the file `~/.postgresql/root.crt` count.
 * @throws {ServeError}
 */
export function tlsOf(sslmode: string | undefined, sslrootcert: string | undefined) {
  if (sslmode !== undefined && !MODES.includes(sslmode as never))
    throw badAddress(`has an unknown sslmode. Use one of ${MODES.join(", ")}.`, "PGSSLMODE");
  const mode = sslmode as (typeof MODES)[number] | undefined;
  if (sslrootcert === "system") return { mode, ca: undefined };
  const usual = join(homedir(), ".postgresql", "root.crt");
  const path = sslrootcert ?? (existsSync(usual) ? usual : undefined);
  if (path === undefined) return { mode, ca: undefined };
  let ca: string;
  try {
    ca = readFileSync(path, "utf8");
  } catch (error) {
    throw badAddress(`has a sslrootcert that can't be read: ${systemReason(error)}.`, "PGSSLROOTCERT");
  }
  // TLS ignores what is not a certificate, and would then trust none.
  if (!ca.includes("BEGIN CERTIFICATE"))
    throw badAddress("has a sslrootcert that contains no certificate in PEM.", "PGSSLROOTCERT");
  return { mode: mode === "require" ? "verify-ca" : mode, ca };
}

export function sslOption({ mode, ca }: Tls, host: string): false | ConnectionOptions {
  const effective = mode ?? defaultMode(host);
  // PostgreSQL speaks no TLS on a Unix socket, and libpq ignores sslmode there.
  if (host.startsWith("/") || effective === "disable") return false;
  if (effective === "require") return { rejectUnauthorized: false };
  return {
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
    // By default, TLS would accept the certificate of "localhost" for a server that is named by its IP address.
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      effective === "verify-ca" ? undefined : checkServerIdentity(host, certificate),
  };
}

export function tlsWarning({ mode }: Tls, host: string): string | undefined {
  const effective = mode ?? defaultMode(host);
  if (isLocal(host) || effective === "verify-full" || effective === "verify-ca") return undefined;
  const state =
    effective === "disable" ? "the connection is not encrypted" : "the server's certificate is not verified";
  return `${state} (sslmode=${effective}), so a machine in between could read every key. Use sslmode=verify-full.`;
}

function defaultMode(host: string): "disable" | "verify-full" {
  return isLocal(host) ? "disable" : "verify-full";
}

/** Whether connections to this host stay on the machine. A DNS server may know any other name, and `*.localhost`. */
export function isLocal(host: string): boolean {
  // What begins with two is a pipe of another machine on Windows.
  const isSocket = /^\/(?![\\/])/.test(host);
  return isSocket || host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

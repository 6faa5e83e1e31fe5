import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "listhen";
import { isLoopback } from "../../wire/loopback.ts";
import { PortTakenSince, PortUnavailable } from "../errors.ts";

const CERTIFICATE_DAYS = 30;

/** The names to create a certificate for, or an existing one. */
export type Tls = { readonly names: readonly string[] } | { readonly key: string; readonly cert: string };

/**
 * Listens with TLS, and a self-signed certificate.
 * @throws {PortUnavailable}
 */
export async function bindTls(
  handler: RequestListener,
  port: number,
  hostname: string,
  tls: Tls,
): Promise<{ server: Server; keyPair: Tls }> {
  // Without explicit options, listhen binds other addresses and ports; what it bound is checked below.
  const { server, address, https } = (await listen(handler, {
    port,
    hostname,
    https: "names" in tls ? { domains: [...tls.names], validityDays: CERTIFICATE_DAYS } : tls,
    public: !isLoopback(hostname),
    isTest: true,
    isProd: false,
    showURL: false,
    open: false,
    clipboard: false,
    tunnel: false,
    qr: false,
    autoClose: false,
    ws: false,
  })) as unknown as { server: Server; address: AddressInfo; https: { key: string; cert: string } };
  // For a name that listhen thinks invalid (a zone as in fe80::1%eth0, an underscore, 64 letters) it listens everywhere.
  if (isAnywhere(address.address) && !isAnywhere(hostname)) {
    server.close();
    throw new PortUnavailable(`--host: "${hostname}" can't be listened at by that name. Give an address.`);
  }
  if (address.port !== port) {
    server.close();
    throw new PortTakenSince(port);
  }
  return { server, keyPair: https };
}

function isAnywhere(host: string): boolean {
  return host === "::" || host === "0.0.0.0";
}

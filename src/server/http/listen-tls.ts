import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "listhen";
import { isLoopback } from "../../wire/loopback.ts";
import { PortTakenSince, PortUnavailable } from "../errors.ts";

const CERTIFICATE_DAYS = 30;

/** What a certificate is made for, or the one that was made. */
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
  // listhen widens its address and moves its port by itself unless it is told everything; what it did is checked.
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
  // A name that listhen takes for none (a zone as in fe80::1%eth0, an underscore, 64 letters) it listens everywhere for.
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

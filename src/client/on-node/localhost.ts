import dns from "node:dns";
import type { LookupFunction } from "node:net";
import { isLocalhost } from "../../wire/http/loopback.ts";

/** Many systems can't resolve `acme.localhost`. */
export const lookup: LookupFunction = (hostname, options, callback) => {
  if (!isLocalhost(hostname)) return dns.lookup(hostname, options, callback);
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  if (options.all) callback(null, addresses);
  else callback(null, "127.0.0.1", 4);
};

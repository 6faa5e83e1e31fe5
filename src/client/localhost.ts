import dns from "node:dns";
import type { LookupFunction } from "node:net";

/** Many systems can't resolve `acme.localhost`; it is always this machine (RFC 6761, 6.3). */
export const lookup: LookupFunction = (hostname, options, callback) => {
  if (hostname !== "localhost" && !hostname.endsWith(".localhost")) return dns.lookup(hostname, options, callback);
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ];
  if (options.all) callback(null, addresses);
  else callback(null, "127.0.0.1", 4);
};

import { createHmac } from "node:crypto";
import { ApiError } from "../../errors.ts";
import { json } from "../reply.ts";
import type { RouteDefinition } from "./route.ts";

/**
 * Proves that this server wrote the file under `.svc/`: only that file contains the secret. A command asks before it sends
 * a key, so that another program on the same port gets none.
 */
export const identity: RouteDefinition = {
  on: ["front", "api", "instance"],
  handle({ query }, { identitySecret }) {
    const challenge = query.get("challenge") ?? "";
    if (!/^[0-9a-f]{32,128}$/.test(challenge))
      throw new ApiError("bad_request", "challenge must be 32 to 128 lower-case hexadecimal characters");
    return json({ proof: createHmac("sha256", identitySecret).update(`identity ${challenge}`).digest("hex") });
  },
};

import { randomBytes } from "node:crypto";
import { SECRET_PREFIX, type Store } from "../store/store.ts";
import { changeSetting } from "../store/settings.ts";

/**
 * A secret of the store, created on first use: 32 random bytes, the same for every process on the store and after a
 * restart, and not derived from anything that can change.
 */
export async function secretOf(store: Store, name: "dashboard" | "seal"): Promise<Buffer> {
  const setting = await changeSetting(
    store,
    SECRET_PREFIX + name,
    (before) => before ?? { secret: randomBytes(32).toString("base64url") },
  );
  return Buffer.from(String(setting?.["secret"]), "base64url");
}

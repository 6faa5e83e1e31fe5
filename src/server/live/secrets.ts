import { randomBytes } from "node:crypto";
import { SECRET_PREFIX, type Store } from "../store/store.ts";
import { changeSetting } from "../store/settings.ts";

/**
 * A secret of the store, made when it is first asked for: 32 random bytes, the same for every process on the store and
 * after a restart, and not derived from anything that can change.
 */
export async function secretOf(store: Store, name: "dashboard" | "seal"): Promise<Buffer> {
  let known = SECRETS.get(store);
  if (!known) SECRETS.set(store, (known = new Map()));
  const before = known.get(name);
  if (before) return before;
  const setting = await changeSetting(
    store,
    SECRET_PREFIX + name,
    (there) => there ?? { secret: randomBytes(32).toString("base64url") },
  );
  const secret = Buffer.from(String(setting?.["secret"]), "base64url");
  known.set(name, secret);
  return secret;
}

const SECRETS = new WeakMap<Store, Map<string, Buffer>>();

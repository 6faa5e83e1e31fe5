import { randomBytes } from "node:crypto";
import { SECRET_PREFIX, type Store } from "../store/store.ts";
import { changeSetting } from "../store/settings.ts";

/**
 * A secret of the store, created on first use: 32 random bytes, the same for every process on the store and after a
 * restart, and not derived from anything that can change.
 */
export async function secretOf(store: Store, name: "dashboard" | "seal"): Promise<Buffer> {
  const there = await store.find("settings", SECRET_PREFIX + name);
  const setting = there?.value ?? (await changeSetting(store, SECRET_PREFIX + name, (before) => before ?? newSecret()));
  return Buffer.from(String(setting?.["secret"]), "base64url");
}

/** Replaces a secret, so that nothing that was made with it counts any more, at any process. */
export async function renewSecret(store: Store, name: "dashboard"): Promise<void> {
  await changeSetting(store, SECRET_PREFIX + name, newSecret);
}

function newSecret(): { secret: string } {
  return { secret: randomBytes(32).toString("base64url") };
}

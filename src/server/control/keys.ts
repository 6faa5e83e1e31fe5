import { hash, randomBytes } from "node:crypto";
import { CONTROL_KEY_PREFIX as PREFIX } from "../../wire/ids.ts";
import { ServeError } from "../errors.ts";
import type { Addresses } from "../instances/addresses.ts";
import { changeSetting, deleteSetting } from "../store/settings.ts";
import { SECRET_PREFIX, type Store } from "../store/store.ts";

const MIN_LENGTH = 32;
const MIN_DIFFERENT = 10;

/** A new key for the control API: it can do everything, and is never logged. */
export function createControlKey(): string {
  return PREFIX + randomBytes(32).toString("base64url");
}

/** A key from the configuration. @throws {ServeError} if it could be guessed */
export function checkControlKey(key: string): string {
  const body = key.startsWith(PREFIX) ? key.slice(PREFIX.length) : "";
  const isStrong = /^[\w-]+$/.test(body) && body.length >= MIN_LENGTH && new Set(body).size >= MIN_DIFFERENT;
  if (isStrong) return key;
  throw new ServeError(
    `SVC_CONTROL_KEY is too weak. Use ctl_ and at least ${MIN_LENGTH} random letters, digits, - or _, such as from: ` +
      `node -p '"ctl_" + crypto.randomBytes(32).toString("base64url")'`,
  );
}

const KEY_LIFETIME_MS = 12 * 3_600_000;
const LINK_LIFETIME_MS = 60_000;
const START_LINK_LIFETIME_MS = 10 * 60_000;
const KEY_BYTES = 32;
/** Short enough for a line of a terminal. */
const CODE_BYTES = 16;

/** Like secrets, keys and codes survive a reset of the records. */
const KEPT_PREFIX = `${SECRET_PREFIX}dashboard/`;

type Kind = "key" | "code";

/** The name under which the store has when a key or a code ends. A key is no code: it would renew itself. */
function nameOf(kind: Kind, text: string): string {
  return `${KEPT_PREFIX}${kind}/${hash("sha256", text, "hex")}`;
}

export type DashboardKeys = ReturnType<typeof createDashboardKeys>;

/** A link that opens the dashboard once. The code is in the fragment, so that no server logs it. */
export async function dashboardLink(keys: DashboardKeys, { front }: Addresses, isFirst: boolean): Promise<string> {
  return `${front}/__svc/#code=${await keys.createCode(isFirst)}`;
}

/** Keys of browsers. They follow the real time, and are good at every process on the store, after a restart too. */
export function createDashboardKeys(store: Store, realNow: () => Date) {
  async function keep(kind: Kind, text: string, lifetimeMs: number): Promise<Date> {
    const ends = new Date(realNow().getTime() + lifetimeMs);
    await forgetEnded();
    await changeSetting(store, nameOf(kind, text), () => ({ until: ends.getTime() }));
    return ends;
  }

  async function forgetEnded(): Promise<void> {
    for (const { name, value } of await store.settings(KEPT_PREFIX))
      if (!isOpen(value)) await deleteSetting(store, name);
  }

  function isOpen(kept: Readonly<Record<string, unknown>> | undefined): boolean {
    return Number(kept?.["until"] ?? 0) > realNow().getTime();
  }

  async function isGood(kind: Kind, text: string): Promise<boolean> {
    return isOpen((await store.find("settings", nameOf(kind, text)))?.value);
  }

  return {
    accepts: (key: string): Promise<boolean> => isGood("key", key),

    /** Ends every key and every link, at every process on the store. */
    async revokeAll(): Promise<void> {
      for (const { name } of await store.settings(KEPT_PREFIX)) await deleteSetting(store, name);
    },

    /** A code that is good once. @param isFirst for the link that is printed at the start, which lives longer */
    async createCode(isFirst: boolean): Promise<string> {
      const code = randomBytes(CODE_BYTES).toString("base64url");
      await keep("code", code, isFirst ? START_LINK_LIFETIME_MS : LINK_LIFETIME_MS);
      return code;
    },

    /** A key for a code. Undefined if the code was used, has expired or is unknown. */
    async redeem(code: string): Promise<{ key: string; expires_at: string } | undefined> {
      if (!(await isGood("code", code)) || !(await deleteSetting(store, nameOf("code", code)))) return undefined;
      const key = `dsh_${randomBytes(KEY_BYTES).toString("base64url")}`;
      return { key, expires_at: (await keep("key", key, KEY_LIFETIME_MS)).toISOString() };
    },
  };
}

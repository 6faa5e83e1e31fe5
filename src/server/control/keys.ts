import { randomBytes, createHmac, hash, timingSafeEqual } from "node:crypto";
import { CONTROL_KEY_PREFIX as PREFIX } from "../../wire/ids.ts";
import { ServeError } from "../errors.ts";
import type { Addresses } from "../instances/addresses.ts";
import { renewSecret, secretOf } from "../shared-state/shared-state.ts";
import { changeSetting, deleteSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";

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
const SPENT_PREFIX = "dashboard-code/";

/** In bytes. The code is short enough for a line of a terminal: 128 bits of a MAC can't be guessed in a minute either. */
const SIZES = { key: { random: 12, signature: 32 }, code: { random: 9, signature: 16 } } as const;
const FORMS = {
  key: /^(([0-9a-z]{1,12})\.[\w-]{16})\.([\w-]{43})$/,
  code: /^(([0-9a-z]{1,12})\.[\w-]{12})\.([\w-]{22})$/,
} as const;

export type DashboardKeys = ReturnType<typeof createDashboardKeys>;

/** A link that opens the dashboard once. The code is in the fragment, so that no server logs it. */
export async function dashboardLink(keys: DashboardKeys, { front }: Addresses, isFirst: boolean): Promise<string> {
  return `${front}/__svc/#code=${await keys.createCode(isFirst)}`;
}

/** Keys of browsers. They follow the real time, and are good at every process on the store, after a restart too. */
export function createDashboardKeys(store: Store, realNow: () => Date) {
  async function sign(purpose: "key" | "code", content: string): Promise<string> {
    // Read each time: another process may have revoked all keys.
    const secret = await secretOf(store, "dashboard");
    const signature = createHmac("sha256", secret).update(`${purpose} ${content}`).digest();
    return signature.subarray(0, SIZES[purpose].signature).toString("base64url");
  }

  async function issue(purpose: "key" | "code", expires: number): Promise<string> {
    const content = `${expires.toString(36)}.${randomBytes(SIZES[purpose].random).toString("base64url")}`;
    return `${content}.${await sign(purpose, content)}`;
  }

  async function expiryOf(purpose: "key" | "code", text: string): Promise<number | undefined> {
    const [, content, expires, signature] = FORMS[purpose].exec(text) ?? [];
    if (content === undefined || expires === undefined || signature === undefined) return undefined;
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(await sign(purpose, content)))) return undefined;
    const end = Number.parseInt(expires, 36);
    return end > realNow().getTime() ? end : undefined;
  }

  return {
    async accepts(key: string): Promise<boolean> {
      return (await expiryOf("key", key.slice("dsh_".length))) !== undefined;
    },

    /** Ends every key and every link, at every process on the store. */
    revokeAll: (): Promise<void> => renewSecret(store, "dashboard"),

    /** A code that is good once. @param isFirst for the link that is printed at the start, which lives longer */
    createCode: (isFirst: boolean): Promise<string> =>
      issue("code", realNow().getTime() + (isFirst ? START_LINK_LIFETIME_MS : LINK_LIFETIME_MS)),

    /** A key for a code. Undefined if the code was used, has expired or is unknown. */
    async redeem(code: string): Promise<{ key: string; expires_at: string } | undefined> {
      const end = await expiryOf("code", code);
      if (end === undefined) return undefined;
      const name = SPENT_PREFIX + hash("sha256", code, "hex");
      let isFirst = false;
      await changeSetting(store, name, (before) => {
        isFirst = before === undefined;
        return before ?? { until: end };
      });
      if (!isFirst) return undefined;
      await forgetSpent();
      const expires = realNow().getTime() + KEY_LIFETIME_MS;
      return { key: `dsh_${await issue("key", expires)}`, expires_at: new Date(expires).toISOString() };
    },
  };

  /** A code that has expired needs no note that it was used. */
  async function forgetSpent(): Promise<void> {
    for (const { name, value } of await store.settings(SPENT_PREFIX))
      if (Number(value["until"]) < realNow().getTime()) await deleteSetting(store, name);
  }
}

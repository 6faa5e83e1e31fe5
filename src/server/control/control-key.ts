import { randomBytes } from "node:crypto";
import { CONTROL_KEY_PREFIX as PREFIX } from "../../wire/ids.ts";
import { ServeError } from "../errors.ts";

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

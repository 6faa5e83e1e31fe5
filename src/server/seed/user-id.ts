import { createHash } from "node:crypto";
import { isUuid } from "../../wire/ids.ts";

/** Of the ids that users had elsewhere. It never changes: the same seed gives the same ids. */
const NAMESPACE = Buffer.from("e6c193b52c444f99ab7f08cd83fdb3bf", "hex");

/**
 * The id of a seed's user: a UUID in either case; or an id elsewhere, such as `auth0:5f7c8ec7`, as a UUID of version 5 of
 * `auth0:<subdomain>:5f7c8ec7` (RFC 9562, 5.5).
 */
export function userIdOf(given: string, subdomain: string): string {
  const id = given.toLowerCase();
  return isUuid(id) ? id : uuidOf(given.replace(":", `:${subdomain}:`));
}

function uuidOf(name: string): string {
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex", 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

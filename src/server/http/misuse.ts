import type { H3Event } from "h3";
import { CONTROL_BASE } from "../../wire/control/paths.ts";
import { CONTROL_KEY_PREFIX, credentialKind, SECRET_KEY_HEADER, SECRET_KEY_PREFIX } from "../../wire/ids.ts";
import type { ErrorCode } from "../../wire/errors.ts";
import { headerOf } from "./context.ts";
import type { Refusal } from "./request-entry.ts";

/**
 * What the caller of an API got wrong, and what to send instead. For the log: the answers themselves have the sentences of the
 * specification. No key is repeated.
 */
export function misuseIn(event: H3Event, code: ErrorCode): string | undefined {
  const [path = ""] = event.context.request.target.split("?", 1);
  if (code === "not_found") return pathFault(path);
  if (code !== "unauthorized" && code !== "missing_secret_key") return undefined;
  if (path.startsWith("/api/")) return keyFault(event);
  return path.startsWith(`${CONTROL_BASE}/`) ? controlKeyFault(event) : undefined;
}

function pathFault(path: string): string | undefined {
  const [, twice] = /^(\/api\/v1|\/__svc\/v1)\1(?:\/|$)/.exec(path) ?? [];
  if (twice !== undefined) return `the path has ${twice} twice; leave it out of the address that the client is given`;
  if (path.endsWith("/") && path !== "/")
    return "leave out the slash at the end of the path, or write the id behind it";
  return undefined;
}

const KEY_REFUSALS: Partial<Record<Refusal, string>> = {
  replaced_key: "this secret key was replaced; give the application the current one",
  unknown_key: "no instance has this secret key; compare it with the output of: svc env",
  other_instance: "the key is another instance's; use the address of its own, or of the API",
};

function keyFault(event: H3Event): string | undefined {
  const { refused } = event.context.request;
  if (refused !== undefined) return KEY_REFUSALS[refused];
  const key = headerOf(event, SECRET_KEY_HEADER);
  const remedy = "send the secret key as X-Service-Secret-Key";
  if (!key) {
    const bearer = bearerOf(event);
    return bearer === undefined ? undefined : `${credentialOf(bearer)} came as Authorization: Bearer; ${remedy}`;
  }
  return key.startsWith(SECRET_KEY_PREFIX) ? undefined : `${credentialOf(key)} came as X-Service-Secret-Key; ${remedy}`;
}

function controlKeyFault(event: H3Event): string | undefined {
  const key = bearerOf(event);
  const remedy = "send the control key of the server's file under .svc/ as Authorization: Bearer";
  if (key === undefined)
    return headerOf(event, SECRET_KEY_HEADER) && `the secret key does not open the control API; ${remedy}`;
  if (key.startsWith(CONTROL_KEY_PREFIX))
    return "the control key is another server's, or from before the last start; take control_key of the server's file under .svc/";
  return key.startsWith("dsh_") ? undefined : `${credentialOf(key)} came as Authorization: Bearer; ${remedy}`;
}

function bearerOf(event: H3Event): string | undefined {
  return /^Bearer +(.+)$/i.exec(headerOf(event, "authorization") ?? "")?.[1];
}

function credentialOf(text: string): string {
  return credentialKind(text) ?? "an unknown credential";
}

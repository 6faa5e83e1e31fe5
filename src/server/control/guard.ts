import { hash, timingSafeEqual } from "node:crypto";
import type { H3Event } from "h3";
import { isLoopback, urlFrom } from "../../http/address.ts";
import { Refusal } from "../errors.ts";
import { requireJson } from "../http/body.ts";
import { headerIn } from "../http/context.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { ControlDeps } from "./deps.ts";

type GuardDeps = Pick<ControlDeps, "addresses" | "controlKey" | "dashboardKeys">;

/**
 * Admits requests that have the key and come from the front door's own pages or from a program.
 * @param needsKey false if the body has what admits the request
 * @throws {Refusal} `cross_origin`, `unauthorized` or `unsupported_media_type`
 */
export async function guard(event: H3Event, deps: GuardDeps, needsKey: boolean): Promise<void> {
  refuseOtherOrigins(event, deps.addresses);
  if (needsKey && !(await hasKey(event, deps))) throw new Refusal("unauthorized");
  // Most requests have no body, and so no type.
  requireJson(event, "application/json");
}

/** A page of another origin can make its browser send a request here, but cannot suppress these headers. */
function refuseOtherOrigins(event: H3Event, addresses: Addresses): void {
  const site = headerIn(event, "sec-fetch-site") ?? "none";
  if ((site !== "same-origin" && site !== "none") || !isFront(headerIn(event, "origin"), addresses))
    throw new Refusal("cross_origin", "only pages of the front door may use the control API");
}

function isFront(origin: string | undefined, addresses: Addresses): boolean {
  if (origin === undefined || origin === addresses.front) return true;
  const url = urlFrom(origin);
  if (url?.origin !== origin || addresses.scopeOf(url.host)?.kind !== "front") return false;
  return isLoopback(url.hostname) || url.protocol === new URL(addresses.front).protocol;
}

/** Whether a request has a key that counts now. A long answer asks again: a dashboard's key ends, or is revoked. */
export async function hasKey(
  event: H3Event,
  { controlKey, dashboardKeys }: Pick<GuardDeps, "controlKey" | "dashboardKeys">,
): Promise<boolean> {
  const key = /^Bearer ([\w.~+/-]+=*)$/i.exec(headerIn(event, "authorization") ?? "")?.[1];
  if (key === undefined) return false;
  if (key.startsWith("dsh_")) return dashboardKeys.accepts(key);
  return timingSafeEqual(digest(key), digest(controlKey));
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

import { hash, timingSafeEqual } from "node:crypto";
import { isLoopback } from "../../wire/loopback.ts";
import { ApiError } from "../errors.ts";
import { isOwnSite } from "../http/admission.ts";
import type { AppRequest } from "../http/request.ts";
import { requireJson } from "../http/routes/json-body.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { ControlDeps } from "./deps.ts";

type GuardDeps = Pick<ControlDeps, "addresses" | "controlKey" | "dashboardKeys">;

/**
 * Admits requests that have the key and come from the front door's own pages or from a program.
 * @param needsKey false if the body has what admits the request
 * @throws {ApiError} `cross_origin`, `unauthorized` or `unsupported_media_type`
 */
export async function guard(request: AppRequest, deps: GuardDeps, needsKey: boolean): Promise<void> {
  refuseOtherOrigins(request, deps.addresses);
  if (needsKey && !(await hasKey(request, deps))) throw new ApiError("unauthorized");
  // Most requests have no body, and so no type.
  requireJson(request, "application/json");
}

/** A page of another origin can make its browser send a request here, but cannot suppress these headers. */
function refuseOtherOrigins(request: AppRequest, addresses: Addresses): void {
  if (!isOwnSite(request.header("sec-fetch-site")) || !isFront(request.header("origin"), addresses))
    throw new ApiError("cross_origin", "only pages of the front door may use the control API");
}

function isFront(origin: string | undefined, addresses: Addresses): boolean {
  if (origin === undefined || origin === addresses.front) return true;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.origin !== origin || addresses.scopeOf(url.host)?.kind !== "front") return false;
  return isLoopback(url.hostname) || url.protocol === new URL(addresses.front).protocol;
}

async function hasKey(request: AppRequest, { controlKey, dashboardKeys }: GuardDeps): Promise<boolean> {
  const key = /^Bearer ([\w.~+/-]+=*)$/i.exec(request.header("authorization") ?? "")?.[1];
  if (key === undefined) return false;
  if (key.startsWith("dsh_")) return dashboardKeys.accepts(key);
  return timingSafeEqual(digest(key), digest(controlKey));
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

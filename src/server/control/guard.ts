import { hash, timingSafeEqual } from "node:crypto";
import { isLoopback } from "../../wire/loopback.ts";
import { ApiError } from "../errors.ts";
import { isOwnSite } from "../http/admission.ts";
import type { AppRequest } from "../http/request.ts";
import type { Addresses } from "../instances/addresses.ts";
import type { ControlDeps } from "./deps.ts";

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

type GuardDeps = Pick<ControlDeps, "addresses" | "controlKey" | "dashboardKeys">;

/**
 * Lets through what comes from the front door's own pages or from a program, and has the key.
 * @param needsKey false where a one-time code is the key
 * @throws {ApiError} `cross_origin`, `unauthorized` or `unsupported_media_type`
 */
export async function guard(request: AppRequest, deps: GuardDeps, needsKey: boolean): Promise<void> {
  refuseOtherOrigins(request, deps.addresses);
  if (needsKey && !(await hasKey(request, deps))) throw new ApiError("unauthorized");
  const type = request.header("content-type");
  if (type !== undefined && !JSON_TYPE.test(type))
    throw new ApiError("unsupported_media_type", "send application/json");
  if ((request.header("content-encoding") ?? "identity") !== "identity")
    throw new ApiError("unsupported_media_type", "send it without Content-Encoding");
}

/** A page elsewhere can make its browser send a request here, but not leave these headers out. */
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

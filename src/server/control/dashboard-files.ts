import { readFile } from "node:fs/promises";
import { ApiError } from "../errors.ts";
import { dashboardAsset, type Reply } from "../http/reply.ts";

const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  "/__svc/": ["index.html", "text/html; charset=utf-8"],
  "/__svc/dashboard.js": ["dashboard.js", "text/javascript; charset=utf-8"],
  "/__svc/dashboard.css": ["dashboard.css", "text/css; charset=utf-8"],
};
/** Where the build puts them, as seen from a bundle, from a part of one, and from the source. */
const PLACES = ["./dashboard/", "../dashboard/", "../../../dist/dashboard/"];

/** The files of this process's build; they do not change while it runs. */
const read = new Map<string, Promise<Reply>>();

export function isDashboardFile(path: string): boolean {
  return Object.hasOwn(FILES, path);
}

/** @throws {ApiError} `not_found` where the package was not built */
export function dashboardFile(path: string): Promise<Reply> {
  let reply = read.get(path);
  if (!reply) {
    const [name, type] = FILES[path]!;
    reply = readFirst(name).then((text) => dashboardAsset(type, text));
    read.set(path, reply);
  }
  return reply;
}

async function readFirst(name: string): Promise<string> {
  const texts = PLACES.map((place) => readFile(new URL(place + name, import.meta.url), "utf8"));
  const found = (await Promise.allSettled(texts)).find((result) => result.status === "fulfilled");
  if (!found) throw new ApiError("not_found", "the dashboard was not built; run npm run build");
  return found.value;
}

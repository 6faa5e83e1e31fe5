import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ApiError } from "../errors.ts";
import { dashboardAsset, type Reply } from "../http/reply.ts";
import type { AppRequest } from "../http/request.ts";

const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  "/__svc/": ["index.html", "text/html; charset=utf-8"],
  "/__svc/dashboard.js": ["dashboard.js", "text/javascript; charset=utf-8"],
  "/__svc/dashboard.css": ["dashboard.css", "text/css; charset=utf-8"],
};
/** The build's output, relative to a bundle, to a part of one, and to the source. */
const PLACES = ["./dashboard/", "../dashboard/", "../../../dist/dashboard/"];

/** The files of this process's build; they do not change while it runs. */
const read = new Map<string, Promise<{ text: string; compressed: Uint8Array }>>();
/** RFC 9110, 12.5.3: a weight of 0 refuses it. */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i;

export function isDashboardFile(path: string): boolean {
  return Object.hasOwn(FILES, path);
}

/** Compressed if the browser accepts that. @throws {ApiError} `not_found` if the package was not built */
export async function dashboardFile({ path, header }: Pick<AppRequest, "path" | "header">): Promise<Reply> {
  const [name, type] = FILES[path]!;
  const file = read.get(path) ?? readFirst(name);
  read.set(path, file);
  const { text, compressed } = await file;
  return dashboardAsset(type, text, GZIP.test(header("accept-encoding") ?? "") ? compressed : undefined);
}

async function readFirst(name: string): Promise<{ text: string; compressed: Uint8Array }> {
  const texts = PLACES.map((place) => readFile(new URL(place + name, import.meta.url), "utf8"));
  const found = (await Promise.allSettled(texts)).find((result) => result.status === "fulfilled");
  if (!found) throw new ApiError("not_found", "the dashboard was not built; run npm run build");
  return { text: found.value, compressed: await promisify(gzip)(found.value) };
}

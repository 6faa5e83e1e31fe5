import { hash } from "node:crypto";

/** A file that pages load. */
export interface PageFile {
  /** With a hash of the text: a browser may keep the file, and asks for another one when it has changed. */
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** The route of the files, for the log. */
export const PAGE_FILES_ROUTE = "/__svc/pages/:file";
const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" };

export function pageFile(name: string, extension: keyof typeof TYPES, text: string): PageFile {
  const file = `${name}.${hash("sha256", text).slice(0, 16)}.${extension}`;
  return { path: PAGE_FILES_ROUTE.replace(":file", file), type: TYPES[extension], text };
}

import { createHash } from "node:crypto";
import { Html } from "./html.ts";

/** An inline style sheet or script, which the page's policy allows by its hash. */
export interface Inline {
  readonly element: Html;
  /** A source of `style-src` or `script-src` (CSP Level 3, 2.3.1). */
  readonly source: string;
}

export function inline(name: "style" | "script", text: string): Inline {
  const hash = createHash("sha256").update(text).digest("base64");
  return { element: new Html(`<${name}>${text}</${name}>`), source: `'sha256-${hash}'` };
}

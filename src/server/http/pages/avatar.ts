import { createHash } from "node:crypto";
import { escapeHtml } from "./html.ts";

/** A picture for an account without one: its initials on a color derived from its id. */
export function avatarSvg(id: string, name: string): string {
  const hue = createHash("sha256").update(id).digest().readUInt16BE(0) % 360;
  const initials = (name.match(/[\p{L}\p{N}]+/gu) ?? ["?"])
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 63).toUpperCase())
    .join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="80" height="80"><rect width="80" height="80" fill="oklch(.5 .12 ${hue})"/><text x="40" y="42" fill="#fff" font-family="system-ui,sans-serif" font-size="30" font-weight="600" text-anchor="middle" dominant-baseline="central">${escapeHtml(initials)}</text></svg>\n`;
}

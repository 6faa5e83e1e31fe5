import type { Picture } from "../../simulator/picture.ts";
import { escapeHtml } from "./html.ts";

/** A picture for an account without one. */
export function avatarSvg({ hue, initials }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="80" height="80"><rect width="80" height="80" fill="oklch(.5 .12 ${hue})"/><text x="40" y="42" fill="#fff" font-family="system-ui,sans-serif" font-size="30" font-weight="600" text-anchor="middle" dominant-baseline="central">${escapeHtml(initials)}</text></svg>\n`;
}

import type { Context } from "../context.ts";

/** Whether a program that shows pages can be expected. */
export function hasDesktop({ env }: Pick<Context, "env">): boolean {
  const isOther = process.platform === "darwin" || process.platform === "win32";
  return isOther || Boolean(env["SVC_BROWSER"] || env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}

import { randomBytes } from "node:crypto";
import { BROWSER_COOKIE } from "../../../wire/outcomes.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { labelledBrowserValue } from "../../simulator/browser.ts";

export const browserRoutes = (deps: ControlDeps): ControlHandlers<"/browsers"> => ({
  "POST /browsers": ({ body }) => {
    const id = `browser_${randomBytes(12).toString("base64url")}`;
    const front = new URL(deps.addresses.front);
    const cookie = {
      name: BROWSER_COOKIE,
      value: labelledBrowserValue({ id, label: body.label }),
      domain: front.hostname,
      path: "/",
      httpOnly: true,
      secure: deps.addresses.isHttps,
      sameSite: "Lax" as const,
    };
    return { id, cookies: [cookie] };
  },
});

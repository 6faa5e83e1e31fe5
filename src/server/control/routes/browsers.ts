import { BROWSER_COOKIE } from "../../../wire/sign-in/account-choices.ts";
import { labelledBrowserValue } from "../../simulator/labelled-browser.ts";
import { randomBytes } from "node:crypto";
import type { HandlersOf } from "../handler.ts";

export const browserRoutes: HandlersOf<"/browsers"> = {
  "POST /browsers": ({ body }, { addresses }) => {
    const id = `browser_${randomBytes(12).toString("base64url")}`;
    const front = new URL(addresses.front);
    const cookie = {
      name: BROWSER_COOKIE,
      value: labelledBrowserValue({ id, label: body.label }),
      domain: front.hostname,
      path: "/",
      httpOnly: true,
      secure: addresses.isHttps,
      sameSite: "Lax" as const,
    };
    return { id, cookies: [cookie] };
  },
};

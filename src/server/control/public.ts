import type { HandlersOf } from "../http/dispatch.ts";
import { json, page, redirect } from "../http/respond.ts";
import { dashboardFile } from "./dashboard-files.ts";

export const PUBLIC_ROWS = {
  "GET /__svc": {},
  "GET /__svc/dashboard.js": {},
  "GET /__svc/dashboard.css": {},
  "GET /__svc/openapi.json": {},
  "GET /__svc/docs": {},
} as const;

/** The dashboard's files and the reference. They need no key, because they contain no data. */
export function publicRoutes(front: string): HandlersOf<typeof PUBLIC_ROWS> {
  return {
    "GET /__svc": ({ event, request }) =>
      request.target.startsWith("/__svc/") ? dashboardFile(event, "index.html") : redirect(event, `${front}/__svc/`),

    "GET /__svc/dashboard.js": ({ event }) => dashboardFile(event, "dashboard.js"),

    "GET /__svc/dashboard.css": ({ event }) => dashboardFile(event, "dashboard.css"),

    "GET /__svc/openapi.json": async ({ event }) => {
      const { openApi } = await import("./reference/openapi.ts");
      return json(event, openApi(front));
    },

    "GET /__svc/docs": async ({ event }) => {
      const [{ openApi }, { referencePage }] = await Promise.all([
        import("./reference/openapi.ts"),
        import("./reference/page.ts"),
      ]);
      return page(event, referencePage(openApi(front)));
    },
  };
}

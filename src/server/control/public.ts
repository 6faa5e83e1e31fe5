import type { H3Event } from "h3";
import type { HandlersOf } from "../http/dispatch.ts";
import { redirect, type Sent, PAGE_POLICY } from "../http/respond.ts";
import { sendStatic, staticText, type StaticText } from "../http/static-text.ts";
import { dashboardFile } from "./dashboard-files.ts";

export const PUBLIC_ROWS = {
  "GET /__svc": {},
  "GET /__svc/dashboard.js": {},
  "GET /__svc/dashboard.css": {},
  "GET /__svc/openapi.json": {},
  "GET /__svc/docs": {},
  "GET /__svc/docs.js": {},
  "GET /__svc/docs.css": {},
} as const;

/** The dashboard's files and the reference. They need no key, because they contain no data. */
export function publicRoutes(front: string): HandlersOf<typeof PUBLIC_ROWS> {
  const reference = createReference(front);
  return {
    "GET /__svc": ({ event, request }) =>
      request.target.startsWith("/__svc/") ? dashboardFile(event, "index.html") : redirect(event, `${front}/__svc/`),
    "GET /__svc/dashboard.js": ({ event }) => dashboardFile(event, "dashboard.js"),
    "GET /__svc/dashboard.css": ({ event }) => dashboardFile(event, "dashboard.css"),
    "GET /__svc/openapi.json": ({ event }) => reference(event, "openapi.json"),
    "GET /__svc/docs": ({ event }) => reference(event, "docs"),
    "GET /__svc/docs.js": ({ event }) => reference(event, "docs.js"),
    "GET /__svc/docs.css": ({ event }) => reference(event, "docs.css"),
  };
}

const TYPES = {
  "openapi.json": "application/json",
  docs: "text/html; charset=utf-8",
  "docs.js": "text/javascript; charset=utf-8",
  "docs.css": "text/css; charset=utf-8",
};
type File = keyof typeof TYPES;

/** The API reference, which is made when it is first asked for. */
function createReference(front: string): (event: H3Event, name: File) => Promise<Sent> {
  let made: Promise<Record<File, StaticText>> | undefined;
  return async (event, name) => {
    made ??= makeReference(front);
    const policy = { ...(name === "docs" && { "content-security-policy": PAGE_POLICY }) };
    return sendStatic(event, (await made)[name], { "content-type": TYPES[name], ...policy });
  };
}

async function makeReference(front: string): Promise<Record<File, StaticText>> {
  const [{ openApi }, { referencePage }, { SCRIPT }, { STYLE }] = await Promise.all([
    import("./reference/openapi.ts"),
    import("./reference/page.ts"),
    import("./reference/script.ts"),
    import("./reference/style.ts"),
  ]);
  const document = openApi(front);
  const [json, docs, script, style] = await Promise.all(
    [JSON.stringify(document), referencePage(document), SCRIPT, STYLE].map(staticText),
  );
  return { "openapi.json": json!, docs: docs!, "docs.js": script!, "docs.css": style! };
}

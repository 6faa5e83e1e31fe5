import { addRoute, createRouter, findRoute } from "rou3";
import { CONTROL_BASE, isControlApi } from "../../wire/control/paths.ts";
import { CONTROL_ROUTES, type ControlRoute, type ControlRouteDefinition } from "../../wire/control/routes.ts";
import { ApiError } from "../errors.ts";
import { json, page, redirect, type Reply } from "../http/reply.ts";
import type { AppRequest } from "../http/request.ts";
import type { ControlDeps } from "./deps.ts";
import { guard } from "./guard.ts";
import { RawReply } from "./handler.ts";
import { readBody, readQuery } from "./read.ts";
import { HANDLERS } from "./routes/index.ts";
import { dashboardFile, isDashboardFile } from "./dashboard-files.ts";

/** The dashboard's files and the reference need no key: they contain no data. */
async function answerPublic(request: AppRequest, method: string, { addresses }: ControlDeps): Promise<Reply> {
  const { path } = request;
  if (method !== "GET" && method !== "HEAD")
    throw new ApiError("method_not_allowed", undefined, { allow: "GET, HEAD" });
  if (path === "/__svc") return redirect(`${addresses.front}/__svc/`);
  if (isDashboardFile(path)) return dashboardFile(request);
  if (path !== "/__svc/docs" && path !== "/__svc/openapi.json") throw new ApiError("not_found");
  const { openApi } = await import("./reference/openapi.ts");
  const document = openApi(addresses.front);
  if (path.endsWith(".json")) return json(document);
  const { referencePage } = await import("./reference/page.ts");
  return page(referencePage(document));
}

const ROUTER = createRouter<ControlRoute>();
const METHODS = new Set<string>();
for (const route of Object.keys(HANDLERS) as ControlRoute[]) {
  const [method = "", path = ""] = route.split(" ");
  addRoute(ROUTER, method, path, route);
  METHODS.add(method);
}

/**
 * Answers a request to the control API. The key is checked first: without one, a caller does not even learn which routes exist.
 * @throws {ApiError}
 */
export async function answerControl(request: AppRequest, method: string, deps: ControlDeps): Promise<Reply> {
  if (!isControlApi(request.path)) return answerPublic(request, method, deps);
  const path = request.path.slice(CONTROL_BASE.length);
  // GET implies HEAD (RFC 9110, 9.3.2). None of these has an effect.
  const match = findRoute(ROUTER, method === "HEAD" ? "GET" : method, path);
  const definition: ControlRouteDefinition | undefined = match && CONTROL_ROUTES[match.data];
  await guard(request, deps, definition?.needsKey ?? true);
  if (!match || !definition) {
    const methods = [...METHODS].filter((other) => findRoute(ROUTER, other, path));
    if (methods.length === 0) throw new ApiError("not_found", "the control API has no such route; see /__svc/docs");
    throw new ApiError("method_not_allowed", undefined, { allow: methods.join(", ").replace("GET", "GET, HEAD") });
  }
  const { data: route, params } = match;
  request.route = `${CONTROL_BASE}${route.slice(route.indexOf(" ") + 1)}`;
  const call = {
    param: (name: string) => params?.[name] ?? "",
    query: readQuery(request, definition.query),
    body: await readBody(request, definition),
    request,
  };
  const handle = HANDLERS[route] as (call: unknown, deps: ControlDeps) => unknown;
  const answer = await handle(call, deps);
  return answer instanceof RawReply ? answer.reply : json(answer, definition.status ?? 200);
}

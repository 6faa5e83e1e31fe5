import { H3, type H3Event, type HTTPMethod } from "h3";
import { ERRORS, errorBody } from "../../wire/errors.ts";
import { ApiError } from "../errors.ts";
import { admit } from "./admission.ts";
import { errorPage } from "./pages/error.ts";
import { json, page } from "./reply.ts";
import type { AppRequest } from "./request.ts";
import { ROUTES } from "./routes/index.ts";
import type { RouteDefinition, RouteDeps } from "./routes/route.ts";
import { StorageUnavailable } from "../store/store.ts";

export interface AppDeps extends RouteDeps {
  /** Told of every request answered; no secret is in it. */
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined;
}

export interface RequestEntry {
  readonly method: string;
  /** The route's pattern, never the address itself: that may hold a token. */
  readonly route: string | null;
  readonly status: number;
  readonly ms: number;
  /** The subdomain of the instance that was asked, by host or by key. */
  readonly instance: string | null;
}

export interface App {
  fetch(request: Request): Promise<Response>;
}

declare module "h3" {
  interface H3EventContext {
    svc?: AppRequest;
  }
}

/** The whole service as one function from request to response. */
export function createApp(deps: AppDeps): App {
  const h3 = new H3({
    silent: true,
    allowMalformedURL: true,
    onError: (error, event) => renderError(error.cause ?? error, event, deps),
  });
  h3.use((event) => {
    event.context.svc = admit(event, deps);
  });
  for (const [route, definition] of Object.entries<RouteDefinition>(ROUTES)) {
    const [method = "", path = ""] = route.split(" ");
    h3.on(method as HTTPMethod, path, (event) => answer(event, definition, deps));
    if (method === "GET" && !definition.isSpent) h3.on("HEAD", path, (event) => answer(event, definition, deps));
  }
  for (const [path, allow] of allowedMethods()) {
    h3.all(path, () => {
      throw new ApiError("method_not_allowed", undefined, { allow });
    });
  }

  const { onRequest } = deps;
  if (!onRequest) return { fetch: async (request) => h3.fetch(request) };
  return {
    async fetch(request) {
      const start = performance.now();
      const response = await h3.fetch(request);
      onRequest(entryOf(request, response.status, performance.now() - start));
      return response;
    },
  };
}

function answer(event: H3Event, definition: RouteDefinition, deps: AppDeps): Response | Promise<Response> {
  const request = event.context.svc!;
  if (!definition.on.includes(request.scope.kind)) throw new ApiError("not_found");
  request.params = event.context.params ?? {};
  return definition.handle(request, deps);
}

function renderError(cause: unknown, event: H3Event, deps: AppDeps): Response {
  const { code, detail, headers } = asApiError(cause, deps);
  const { status } = ERRORS[code];
  const body = errorBody(code, detail);
  const isForPerson =
    !event.url.pathname.startsWith("/api/") && (event.req.headers.get("accept") ?? "").includes("text/html");
  return isForPerson ? page(errorPage(status, body.error), status) : json(body, status, headers);
}

function asApiError(cause: unknown, { onBug }: AppDeps): ApiError {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof StorageUnavailable) return new ApiError("storage_unavailable");
  // What h3 raises by itself: no route, or an address that can't be read.
  const { status } = cause as { status?: unknown };
  if (status === 404) return new ApiError("not_found");
  if (status === 400) return new ApiError("bad_request");
  onBug(cause);
  return new ApiError("internal");
}

function allowedMethods(): Map<string, string> {
  const allowed = new Map<string, string>();
  for (const [route, { isSpent }] of Object.entries<RouteDefinition>(ROUTES)) {
    const [method = "", path = ""] = route.split(" ");
    const methods = method === "GET" && !isSpent ? "GET, HEAD" : method;
    allowed.set(path, allowed.has(path) ? `${allowed.get(path)}, ${methods}` : methods);
  }
  return allowed;
}

function entryOf(request: Request & { context?: H3Event["context"] }, status: number, ms: number): RequestEntry {
  const { matchedRoute, svc } = request.context ?? {};
  return {
    method: request.method,
    route: matchedRoute?.route ?? null,
    status,
    ms,
    instance: svc?.instance?.subdomain ?? null,
  };
}

import { H3, type H3Event, type H3EventContext, type HTTPMethod } from "h3";
import { isControlPath } from "../../wire/control/paths.ts";
import { ERRORS, errorBody } from "../../wire/errors.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import { admit } from "./admission.ts";
import { monitoringRoute, type Monitoring } from "./monitoring.ts";
import { entryOf, isApi, reasonOf, type RequestEntry } from "./log-entry.ts";
import { fromWebRequest, type Incoming } from "./incoming.ts";
import { eventOf } from "./node-internals.ts";
import { errorPage } from "./pages/error.ts";
import { json, page, toWebResponse, type Reply } from "./reply.ts";
import type { AppRequest } from "./request.ts";
import { ROUTES } from "./routes/index.ts";
import type { RouteDefinition, RouteDeps } from "./routes/route.ts";
import { Conflict, SearchTooSlow, StorageUnavailable } from "../store/store.ts";

const NO_ROUTE = "/**";

export interface AppDeps extends RouteDeps {
  readonly monitoring: Monitoring;
  /** Answers the control API, its reference and the dashboard. Undefined if there is none. */
  readonly control?: ((request: AppRequest, method: string) => Promise<Reply>) | undefined;
  /** Resolves when this process knows what others have changed; undefined if it already does. */
  recent?(): Promise<void> | undefined;
  /** Called with every request answered. The entry contains no secret; the request and its answer may. */
  readonly onRequest?: ((entry: RequestEntry, asked: Incoming, answered: Reply) => void) | undefined;
}

export interface App {
  /** Never rejects: errors are answers, too. */
  answer(incoming: Incoming): Promise<Reply>;
  /** Answers a `Request` with a `Response`, for programs that call the service without a socket. Never rejects. */
  fetch(request: Request): Promise<Response>;
}

declare module "h3" {
  interface H3EventContext {
    svc?: AppRequest;
  }
}

/** The whole service as one function from request to answer. */
export function createApp(deps: AppDeps): App {
  const router = createRouter(deps);
  const { onRequest, recent } = deps;

  async function answer(incoming: Incoming): Promise<Reply> {
    const start = performance.now();
    const context: H3EventContext = {};
    let reply: Reply;
    let reason: string | undefined;
    const own = monitoringRoute(incoming, deps.monitoring);
    try {
      if (own) reply = await own.answer();
      else {
        const reading = recent?.();
        // A key that another process has revoked must be refused; what needs no key is answered without the store, too.
        if (reading) await (isApi(incoming) ? reading : reading.catch(() => undefined));
        context.svc = admit(incoming, deps);
        const { scope, path } = context.svc;
        if (deps.control && scope.kind === "front" && isControlPath(path))
          reply = await deps.control(context.svc, incoming.method);
        else reply = (await router.handler(eventOf(incoming.method, path, context))) as Reply;
      }
    } catch (error) {
      const failure = asApiError(error, incoming, deps);
      reason = reasonOf(error, failure, incoming);
      reply = render(failure, incoming);
    }
    const route = own?.route ?? context.svc?.route ?? context.matchedRoute?.route;
    onRequest?.(
      entryOf(incoming, context.svc, {
        route: route === undefined || route === NO_ROUTE ? null : route,
        status: reply.status,
        ms: performance.now() - start,
        reason: reason ?? null,
      }),
      incoming,
      reply,
    );
    return reply;
  }

  return {
    answer,
    async fetch(request) {
      const incoming = fromWebRequest(request);
      return toWebResponse(await answer(incoming), incoming);
    },
  };
}

function createRouter(deps: AppDeps): H3 {
  const router = new H3();
  for (const [route, definition] of Object.entries<RouteDefinition>(ROUTES)) {
    const [methods, path] = methodsOf(route, definition);
    const handler = ({ context }: H3Event): unknown => handle(context, definition, deps);
    for (const method of methods) router.on(method, path, handler);
  }
  for (const [path, allow] of allowedMethods()) {
    router.all(path, () => {
      throw new ApiError("method_not_allowed", undefined, { allow });
    });
  }
  return router.all(NO_ROUTE, () => {
    throw new ApiError("not_found");
  });
}

function handle(context: H3EventContext, definition: RouteDefinition, deps: AppDeps): Reply | Promise<Reply> {
  const request = context.svc!;
  if (!definition.on.includes(request.scope.kind)) throw new ApiError("not_found");
  request.params = context.params ?? {};
  return definition.handle(request, deps);
}

function render(error: ApiError, incoming: Incoming): Reply {
  const { code, detail, headers } = error;
  const { status } = ERRORS[code];
  const isForPerson = !isApi(incoming) && (incoming.header("accept") ?? "").includes("text/html");
  if (!isForPerson) return json(errorBody(code, detail), status, headers);
  return page(errorPage(code, detail, error instanceof SignInRefused ? error.wayBack : undefined), status);
}

const NARROW =
  "add a term that narrows it, such as an exact value, three or more characters in a row, or created_at>=2026-01-01";

function asApiError(cause: unknown, { id }: Incoming, { onBug }: AppDeps): ApiError {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof StorageUnavailable)
    return new ApiError("storage_unavailable", undefined, { "retry-after": "1" });
  if (cause instanceof Conflict) return new ApiError("conflict", cause.message);
  if (cause instanceof SearchTooSlow) return new ApiError("search_too_slow", NARROW);
  onBug(cause, id);
  return new ApiError("internal");
}

function allowedMethods(): Map<string, string> {
  const allowed = new Map<string, string>();
  for (const [route, definition] of Object.entries<RouteDefinition>(ROUTES)) {
    const [methods, path] = methodsOf(route, definition);
    const before = allowed.get(path);
    allowed.set(path, (before === undefined ? methods : [before, ...methods]).join(", "));
  }
  return allowed;
}

/** The methods and path of a route. GET implies HEAD (RFC 9110, 9.3.2), unless it has an effect. */
function methodsOf(route: string, { hasEffect }: RouteDefinition): [methods: HTTPMethod[], path: string] {
  const [method = "", path = ""] = route.split(" ");
  return [method === "GET" && !hasEffect ? ["GET", "HEAD"] : [method as HTTPMethod], path];
}

import { HTTPError, type H3Event } from "h3";
import { ERRORS, errorBody } from "../../wire/errors.ts";
import { ApiError, SignInRefused } from "../errors.ts";
import { Conflict, SearchTooSlow, StorageUnavailable } from "../store/store.ts";
import { headerOf } from "./context.ts";
import { isApi, reasonOf } from "./log-entry.ts";
import { misuseIn } from "./misuse.ts";
import { errorPage } from "./pages/error.ts";
import { json, page, setHeaders } from "./respond.ts";

interface FailureDeps {
  /** The address of the start page. Undefined on a server that has none. */
  readonly home?: string | undefined;
  /** Called with every bug. */
  onBug(error: unknown, request_id?: string): void;
}

/** Answers what a handler threw: as JSON, or as a page where a browser asks for one outside the API. */
export function answerFailure(error: HTTPError, event: H3Event, deps: FailureDeps): unknown {
  const { request } = event.context;
  // h3 wraps what is no error of its own.
  const cause = error.unhandled ? error.cause : error;
  const failure = asApiError(cause, request.id, deps);
  // h3's own errors quote the address.
  const reason = reasonOf(HTTPError.isError(cause) ? failure : cause, failure, request);
  const { code, detail, headers = {} } = failure;
  const misuse = misuseIn(event, code);
  request.reason = misuse === undefined ? reason : `${reason}: ${misuse}`;
  if (code === "invalid_state") request.refused = "invalid_state";
  const { status } = ERRORS[code];
  setHeaders(event, headers);
  const isForPerson = !isApi(request) && (headerOf(event, "accept") ?? "").includes("text/html");
  if (!isForPerson) return json(event, errorBody(code, detail), status);
  const wayBack = failure instanceof SignInRefused ? failure.wayBack : undefined;
  return page(event, errorPage(code, detail, { wayBack, home: deps.home }), status);
}

const NARROW =
  "add a term that narrows it, such as an exact value, three or more characters in a row, or created_at>=2026-01-01";

function asApiError(cause: unknown, id: string, { onBug }: FailureDeps): ApiError {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof StorageUnavailable)
    return new ApiError("storage_unavailable", undefined, { "retry-after": "1" });
  if (cause instanceof Conflict) return new ApiError("conflict", cause.message);
  if (cause instanceof SearchTooSlow) return new ApiError("search_too_slow", NARROW);
  if (HTTPError.isError(cause) && cause.status === 404) return new ApiError("not_found");
  if (HTTPError.isError(cause) && cause.status === 413) return new ApiError("body_too_large");
  onBug(cause, id);
  return new ApiError("internal");
}

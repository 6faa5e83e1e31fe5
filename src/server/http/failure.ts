import type { H3Event } from "h3";
import { CONTROL_BASE } from "../../wire/control/paths.ts";
import { ERRORS, errorBody } from "../../wire/errors.ts";
import { CONTROL_KEY_PREFIX, SECRET_KEY_HEADER, SECRET_KEY_PREFIX, credentialKind } from "../../wire/ids.ts";
import { Refusal, KeyRefused, SignInRefused } from "../errors.ts";
import type { Instances } from "../instances/instances.ts";
import { Conflict, SearchTooSlow, StorageUnavailable } from "../store/store.ts";
import { TokenRefused } from "../token.ts";
import { headerIn, type RequestContext } from "./context.ts";
import { errorPage, type Seen } from "./pages/error.ts";
import { json, page, type Noted, type Reply } from "./respond.ts";

export interface FailureDeps {
  readonly instances: Instances;
  /** The address of the start page. Undefined on a server that has none. */
  readonly home: string | undefined;
  /** A sign-in, as its developer may see it. Undefined on a server that other machines can reach. */
  seen(flow_id: string | undefined): Seen | undefined;
  onBug(error: unknown, request_id?: string): void;
}

/** What a handler throws for an error of which it has more to say in the log. */
export class Failed extends Error {
  readonly noted: Noted;

  constructor(cause: unknown, noted: Noted) {
    super("a request failed", { cause });
    this.noted = noted;
  }
}

/** Answers what a handler threw: as JSON, or as a page where a browser asks for one outside the API. */
export function answerFailure(thrown: unknown, event: H3Event, deps: FailureDeps): Reply {
  const { request } = event.context;
  const cause = thrown instanceof Failed ? thrown.cause : thrown;
  const failure = asRefusal(cause, request.id, deps);
  const { code, detail, headers } = failure;
  const noted: Noted = {
    ...(failure instanceof SignInRefused && {
      instance: request.instance ?? deps.instances.byId(failure.instance_id ?? ""),
      ...(failure.flow_id !== undefined && { flow_id: failure.flow_id }),
    }),
    ...(thrown instanceof Failed && thrown.noted),
    refused: failure instanceof KeyRefused ? failure.refused : code === "invalid_state" ? code : undefined,
    reason: [reasonOf(cause, failure, request), misuseIn(event, failure)].filter(Boolean).join(": "),
  };
  const { status } = ERRORS[code];
  const isForPerson = !isApi(request) && (headerIn(event, "accept") ?? "").includes("text/html");
  const options = { status, noted, ...(headers && { headers }) };
  if (!isForPerson) return json(errorBody(code, detail), options);
  const wayBack = failure instanceof SignInRefused ? failure.wayBack : undefined;
  return page(errorPage(code, detail, { wayBack, home: deps.home, seen: deps.seen(noted.flow_id) }), options);
}

const NARROW =
  "add a term that narrows it, such as an exact value, three or more characters in a row, or created_at>=2026-01-01";

function asRefusal(cause: unknown, id: string, { onBug }: FailureDeps): Refusal {
  if (cause instanceof Refusal) return cause;
  if (cause instanceof StorageUnavailable) return new Refusal("storage_unavailable", undefined, { "retry-after": "1" });
  if (cause instanceof Conflict) return new Refusal("conflict", cause.message);
  if (cause instanceof SearchTooSlow) return new Refusal("search_too_slow", NARROW);
  onBug(cause, id);
  return new Refusal("internal");
}

/**
 * What the caller of an API got wrong, and what to send instead. For the log: the answers themselves have the sentences of the
 * specification. No key is repeated.
 */
function misuseIn(event: H3Event, failure: Refusal): string | undefined {
  const { path } = event.context.request;
  const { code } = failure;
  if (code === "not_found") return pathFault(path);
  if (code !== "unauthorized" && code !== "missing_secret_key") return undefined;
  if (failure instanceof KeyRefused) return KEY_REFUSALS[failure.refused];
  const isControl = path.startsWith(`${CONTROL_BASE}/`);
  return isControl || path.startsWith("/api/") ? keyFault(event, isControl) : undefined;
}

function pathFault(path: string): string | undefined {
  const [, twice] = /^(\/api\/v1|\/__svc\/v1)\1(?:\/|$)/.exec(path) ?? [];
  if (twice !== undefined) return `the path has ${twice} twice; leave it out of the address that the client is given`;
  if (path.endsWith("/") && path !== "/")
    return "leave out the slash at the end of the path, or write the id behind it";
  return undefined;
}

const KEY_REFUSALS: Readonly<Record<KeyRefused["refused"], string>> = {
  replaced_key: "this secret key was replaced; give the application the current one",
  unknown_key: "no instance has this secret key; compare it with the output of: svc env",
  other_instance: "the key is another instance's; use the address of its own, or of the API",
};

function keyFault(event: H3Event, isControl: boolean): string | undefined {
  const own = headerIn(event, SECRET_KEY_HEADER);
  const [, bearer] = /^Bearer +(.+)$/i.exec(headerIn(event, "authorization") ?? "") ?? [];
  const key = isControl ? (bearer ?? own) : own || bearer;
  if (!key || key.startsWith("dsh_")) return undefined;
  if (isControl && bearer?.startsWith(CONTROL_KEY_PREFIX))
    return "the control key is another server's, or from before the last start; take the one that svc env prints";
  if (!isControl && own?.startsWith(SECRET_KEY_PREFIX)) return undefined;
  const place = key === own ? "X-Service-Secret-Key" : "Authorization: Bearer";
  const remedy = isControl
    ? "send the control key that svc env prints as Authorization: Bearer"
    : "send the secret key as X-Service-Secret-Key";
  return `${credentialKind(key) ?? "an unknown credential"} came as ${place}; ${remedy}`;
}

/** For the log: the answer's error, with the cause that the answer omits. */
function reasonOf(cause: unknown, answered: Refusal, request: RequestContext): string {
  const { error: text } = errorBody(answered.code, answered.detail);
  if (!(cause instanceof Refusal)) return cause instanceof Error ? `${text}: ${cause.message}` : text;
  if (cause instanceof SignInRefused && cause.reason !== undefined) return `${text}. ${cause.reason}`;
  if (cause instanceof TokenRefused) {
    const { code, reason, explanation } = cause;
    return [code === "token_invalid" ? `${text}: ${reason}` : text, explanation].filter(Boolean).join(". ");
  }
  // The details of API errors quote searches, which contain personal data.
  return isApi(request) && cause.code !== "unknown_host" ? ERRORS[cause.code].error : text;
}

/** Whether a request is for the product API, whose callers are programs. */
export function isApi({ target }: RequestContext): boolean {
  return target.startsWith("/api/");
}

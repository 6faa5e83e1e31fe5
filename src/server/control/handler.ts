import type { AnswerOf, ControlRoute, ParsedBodyOf, ParsedQueryOf } from "../../wire/control/routes.ts";
import type { Reply } from "../http/reply.ts";
import type { AppRequest } from "../http/request.ts";
import type { ControlDeps } from "./deps.ts";

/** A request whose path, query and body have been checked. */
export interface Call<Route extends ControlRoute> {
  param(name: string): string;
  readonly query: ParsedQueryOf<Route>;
  readonly body: ParsedBodyOf<Route>;
  readonly request: AppRequest;
}

/** A reply whose status, headers or form differ from the table of routes. */
export class RawReply {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

type Handler<Route extends ControlRoute> = (
  call: Call<Route>,
  deps: ControlDeps,
) => AnswerOf<Route> | RawReply | Promise<AnswerOf<Route> | RawReply>;

/** The handler of each route. */
export type Handlers = { readonly [Route in ControlRoute]: Handler<Route> };

/** The handlers of one noun. */
export type HandlersOf<Path extends string> = Pick<
  Handlers,
  Extract<ControlRoute, `${string} ${Path}` | `${string} ${Path}/${string}`>
>;

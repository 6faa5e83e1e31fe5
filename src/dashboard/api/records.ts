import type { ServerEvent } from "../../control-client/index.ts";
import type { AnswerOf } from "../../wire/control/types.ts";

/** The responses of the control API, by the table of its routes. */
export type State = AnswerOf<"GET /state">;
export type Clock = AnswerOf<"GET /clock">;
export type Instance = AnswerOf<"GET /instances/:id">;
export type Connection = AnswerOf<"GET /instances/:id/connections">[number];
export type User = AnswerOf<"GET /users/:id">;
export type Session = AnswerOf<"GET /sessions/:session_id">;
export type Persona = AnswerOf<"GET /personas/:id">;
export type Token = AnswerOf<"POST /tokens">;
export type SignIn = AnswerOf<"POST /sign-ins">;
export type Outcome = AnswerOf<"GET /outcomes">[number];
export type Scenario = AnswerOf<"POST /scenarios">;
export type Job = AnswerOf<"GET /jobs/:id">;
export type OutcomeId = Outcome["id"];
export type Flow = Extract<ServerEvent, { resource: "flow" }>;
/** A request and its response. The server has removed secrets. */
export type RequestEntry = Extract<ServerEvent, { resource: "request" }>;

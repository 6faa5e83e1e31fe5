import type { AnswerOf } from "../../wire/control/routes.ts";

/** What the control API answers with, by the table of its routes. */
export type State = AnswerOf<"GET /state">;
export type Clock = AnswerOf<"GET /clock">;
export type Instance = AnswerOf<"GET /instances/:id">;
export type Connection = AnswerOf<"GET /instances/:id/connections">[number];
export type ConnectionTest = AnswerOf<"POST /instances/:id/connections/:provider/test">;
export type User = AnswerOf<"GET /users/:id">;
export type Session = AnswerOf<"GET /sessions/:session_id">;
export type Persona = AnswerOf<"GET /personas/:id">;
export type Token = AnswerOf<"POST /tokens">;
export type TokenReport = AnswerOf<"POST /tokens/verify">;
export type SignIn = AnswerOf<"POST /sign-ins">;
export type Outcome = AnswerOf<"GET /outcomes">[number];
export type Scenario = AnswerOf<"POST /scenarios">;
export type Snapshot = AnswerOf<"POST /snapshots">;
export type Job = AnswerOf<"GET /jobs/:id">;
export type Flow = AnswerOf<"GET /flows">[number] & { readonly resource: "flow" };
export type Step = Flow["data"]["steps"][number];
export type OutcomeId = Outcome["id"];
/** A request, as it was asked and answered; secrets were left out on the server. */
export type RequestEntry = AnswerOf<"GET /requests/:id">;

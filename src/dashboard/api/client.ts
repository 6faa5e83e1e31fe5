import { signal } from "@preact/signals";
import { createControlClient, type ServerEvent } from "../../control-client/index.ts";
import type { Fetch } from "../../wire/http/fetch.ts";
import { dashboardKey, forgetKey } from "./session.ts";
import type { AnswerOf } from "../../wire/control/types.ts";

/** Counts the responses that say that the server's database is unavailable. */
export const unavailable = signal(0);

/** The control API, with the key that this browser has now. */
export const control = createControlClient({
  url: globalThis.location.origin,
  controlKey: () => dashboardKey.peek() ?? "",
  fetch: send,
});

/** A rejected key is deleted, and the sign-in page is shown. */
async function send(...[url, init]: Parameters<Fetch>): ReturnType<Fetch> {
  const response = await fetch(url, init);
  if (response.status === 401) forgetKey();
  if (response.status === 503) unavailable.value++;
  const { status, headers, body } = response;
  return { status, headers, body: body && chunksOf(body), text: () => response.text() };
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

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

import { plain, type InputOf, type ResultOf } from "../route.ts";
import type { CONTROL_ROUTES } from "./routes.ts";

type Rows = typeof CONTROL_ROUTES;

// For types alone, as all of this file.
const rows = plain<{
  [Route in keyof Rows]: {
    body: InputOf<Rows[Route], "body">;
    query: InputOf<Rows[Route], "query">;
    answer: ResultOf<Rows[Route]>;
  };
}>();

export type ControlRoute = keyof typeof rows;

/** What is sent to a route, before defaults are filled in. */
export type BodyOf<Route extends ControlRoute> = (typeof rows)[Route]["body"];
export type QueryOf<Route extends ControlRoute> = (typeof rows)[Route]["query"];
export type AnswerOf<Route extends ControlRoute> = (typeof rows)[Route]["answer"];

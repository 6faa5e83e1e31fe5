import { OUTCOMES } from "../../../wire/sign-in/outcomes.ts";
import { providersOf } from "../../simulator/outcomes.ts";
import type { HandlersOf } from "../handler.ts";

export const outcomeRoutes: HandlersOf<"/outcomes"> = {
  "GET /outcomes": () => OUTCOMES.map((outcome) => ({ ...outcome, providers: providersOf(outcome.id) })),
};

import { OUTCOMES } from "../../../wire/outcomes.ts";
import { providersOf } from "../../simulator/outcomes.ts";
import type { HandlersOf } from "../deps.ts";

export const outcomeRoutes = (): HandlersOf<"/outcomes"> => ({
  "GET /outcomes": () => OUTCOMES.map((outcome) => ({ ...outcome, providers: providersOf(outcome.id) })),
});

import { OUTCOMES } from "../../../wire/outcomes.ts";
import { providersOf } from "../../simulator/outcomes.ts";
import type { ControlHandlers } from "../deps.ts";

export const outcomeRoutes = (): ControlHandlers<"/outcomes"> => ({
  "GET /outcomes": () => OUTCOMES.map((outcome) => ({ ...outcome, providers: providersOf(outcome.id) })),
});

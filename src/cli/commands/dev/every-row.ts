import type { ControlClient } from "../../../control-client/index.ts";
import type { AnswerOf } from "../../../wire/control/routes.ts";

type ListRoute = "GET /scenarios" | "GET /snapshots" | "GET /instances";

/** All rows of a list, asked for page by page. */
export async function everyRow<Route extends ListRoute>(
  control: ControlClient,
  route: Route,
): Promise<AnswerOf<Route>[number][]> {
  const all: AnswerOf<Route>[number][] = [];
  let after: string | undefined;
  do {
    const query = { limit: 1000, ...(after !== undefined && { after }) };
    const { rows, next } = await control.page<ListRoute>(route, { query });
    all.push(...(rows as AnswerOf<Route>));
    after = next;
  } while (after !== undefined);
  return all;
}

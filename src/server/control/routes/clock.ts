import { createHmac } from "node:crypto";
import { clockStatement } from "../../../wire/claims.ts";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { Refusal } from "../../errors.ts";
import type { ClockSetting } from "../../shared-state/shared-state.ts";
import type { ControlDeps, ControlHandlers } from "../deps.ts";
import { parseDuration } from "../check.ts";
import { chosenInstance } from "../look-up.ts";

/** Dates beyond the year are written in another way, which does not sort as text. A day is left for what expires later. */
const LATEST = "9999-12-31T00:00:00Z";
const LATEST_MS = Date.parse(LATEST);

export const clockRoutes = (deps: ControlDeps): ControlHandlers<"/clock"> => ({
  "GET /clock": () => deps.shared.clock.read(),

  "GET /clock/proof": ({ query: { nonce, instance } }) => {
    const { secret_key } = chosenInstance(deps, instance);
    const now = deps.shared.clock.now().toISOString();
    return { now, proof: createHmac("sha256", secret_key).update(clockStatement(nonce, now)).digest("base64url") };
  },

  "POST /clock/freeze": ({ body }) => {
    const at = body.at === undefined ? deps.shared.clock.now() : moment(body.at, "at");
    return follow(deps, deps.shared.clock.frozenAt(at));
  },

  "POST /clock/set": ({ body }) => follow(deps, deps.shared.clock.runningFrom(moment(body.at, "at"))),

  "POST /clock/advance": ({ body }) => {
    const { clock } = deps.shared;
    const now = clock.now().getTime();
    const to = "to" in body ? moment(body.to, "to").getTime() : now + parseDuration(body.by, "by");
    if (to < now)
      throw new Refusal(
        "bad_request",
        `to: lies before the clock's ${new Date(now).toISOString()}; use set to go back`,
      );
    if (to > LATEST_MS) throw new Refusal("bad_request", `by: goes beyond ${LATEST}`);
    return follow(deps, clock.movedTo(new Date(to)));
  },

  "POST /clock/resume": () => {
    const { clock } = deps.shared;
    return follow(deps, clock.setting.mode === "frozen" ? clock.runningFrom(clock.now()) : clock.setting);
  },

  "POST /clock/reset": () => follow(deps, { mode: "real" }),
});

async function follow({ shared }: ControlDeps, setting: ClockSetting): Promise<AnswerOf<"GET /clock">> {
  await shared.setClock(setting);
  return shared.clock.read();
}

function moment(text: string, path: string): Date {
  const date = new Date(text);
  const isUsable = !Number.isNaN(date.getTime()) && date.getTime() >= 0 && date.getTime() <= LATEST_MS;
  if (!isUsable) throw new Refusal("bad_request", `${path}: must lie between 1970-01-01T00:00:00Z and ${LATEST}`);
  return date;
}

import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { restarted } from "./_hours.ts";
import { signIn, tokenOf } from "./_people.ts";
import { control, FIRST_KEY, secret, startWhole } from "./_whole.ts";

const PEOPLE = 30;

it("A server that keeps sessions for 90 days deletes none when its clock jumps by 400, over sign-ins and restarts, until a person does", async () => {
  const whole = await startWhole([join(temporaryDirectory(), "db.json")], { retention: { sessions: "90d" } });
  const unit = whole.units[0]!;
  const comesIn = async (n: number): Promise<void> => {
    expect(tokenOf(await signIn(whole, n, () => unit))).toBeDefined();
  };
  const sessions = async (): Promise<number> => {
    const { body } = await whole.send(unit, "/api/v1/sessions", { headers: secret(FIRST_KEY) });
    return (JSON.parse(body) as object[]).length;
  };
  /** Rounds of retention, which the log tells of. */
  const rounds = (): string[] =>
    unit.log.flatMap(({ message }) => (String(message).startsWith("retention ") ? [String(message)] : []));
  const round = async (): Promise<string> => {
    const before = rounds().length;
    await restarted(whole, unit);
    await expect.poll(() => rounds().length).toBe(before + 1);
    return rounds().at(-1)!;
  };
  for (let n = 0; n < PEOPLE; n++) await comesIn(n);
  expect(await round()).toContain("deleted 0 sessions");

  const body = { by: "400d" };
  const jumped = await whole.send(unit, "/__svc/v1/clock/advance", { method: "POST", headers: control(), body });
  expect(jumped.status).toBe(200);
  for (let restart = 1; restart <= 3; restart++) {
    expect(await round()).toContain("svc sessions prune --before 90d");
    await comesIn(PEOPLE + restart);
    expect(await sessions()).toBe(PEOPLE + restart);
  }

  // What the log says.
  await whole.svc(unit, "sessions", "prune", "--before", "90d", "--instance", "acme", "--yes");
  expect(await sessions()).toBe(3);
  expect(await round()).toContain("deleted 0 sessions");
});

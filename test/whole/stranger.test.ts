import { expect, it } from "vitest";
import { join } from "node:path";
import { temporaryDirectory } from "../_files.ts";
import { signIn, tokenOf } from "./_people.ts";
import { APP, control, startWhole } from "./_whole.ts";

const OFFICE = "203.0.113.7";

it("A stranger who leaves 2,100 sign-ins unfinished keeps his office out for two minutes at most, and the log says why", async () => {
  const whole = await startWhole([join(temporaryDirectory(), "db.json")]);
  const unit = whole.units[0]!;
  const begin = async (from: string, n: number): Promise<number> => {
    const query = new URLSearchParams({ redirect_uri: APP, login_hint: `p${n}` });
    return (await whole.send(unit, `/sign-in?${query.toString()}`, { headers: { "x-forwarded-for": from } })).status;
  };
  const comesIn = async (from: string, n: number): Promise<boolean> =>
    tokenOf(await signIn(whole, n, () => unit, from)) !== undefined;

  const clock = async (verb: string, body: object): Promise<void> => {
    const moved = await whole.send(unit, `/__svc/v1/clock/${verb}`, { method: "POST", headers: control(), body });
    expect(moved.status).toBe(200);
  };
  // However long it takes here.
  await clock("freeze", {});
  const left: number[] = [];
  for (let batch = 0; batch < 21; batch++)
    left.push(...(await Promise.all(Array.from({ length: 100 }, async () => begin(OFFICE, 1)))));
  expect(left.filter((status) => status === 429).length).toBe(100);
  // Others see nothing of it.
  expect(await comesIn("198.51.100.1", 2)).toBe(true);
  const refused = await signIn(whole, 3, () => unit, OFFICE);
  expect([refused.status, Number(refused.headers["retry-after"]) <= 120]).toEqual([429, true]);
  expect(unit.log).toContainEqual(
    expect.objectContaining({
      message: expect.stringMatching(/^203\.0\.113\.7 began 2000 sign-ins .* --trust-proxy\.$/) as string,
    }),
  );

  await clock("advance", { by: "2m" });
  const colleagues = await Promise.all(Array.from({ length: 50 }, async (_, n) => comesIn(OFFICE, 10 + n)));
  expect(colleagues).toEqual(Array.from({ length: 50 }, () => true));
});

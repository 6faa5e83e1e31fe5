import { expect, it } from "vitest";
import { answer, locationOf } from "../_answers.ts";
import { ADA, APP, CONTROL_KEY, SESSION, setup } from "../_setup.ts";

const capitals = (id: string): string => id.replace("svc_session_", "SVC_SESSION_").toUpperCase();

it.each([`/api/v1/users/{${ADA}}`, `/api/v1/sessions/{${SESSION}}`, `/api/v1/users?limit=1&after={${ADA}}`])(
  "An id is read in capitals too: GET %s",
  async (path) => {
    const { as, acme } = await setup();
    const [lower, upper] = [path.replace(/[{}]/g, ""), path.replace(/\{(.*)\}/, (_, id: string) => capitals(id))];
    expect(upper).not.toBe(lower);
    const expected = await answer(await as(acme, lower));
    expect(expected[0]).toBe(200);
    expect(await answer(await as(acme, upper))).toEqual(expected);
  },
);

it("A user is deleted by its id in capitals, and the answer has the id as it is stored", async () => {
  const { as, acme } = await setup();
  const response = await as(acme, `/api/v1/users/${capitals(ADA)}`, { method: "DELETE" });
  expect(await answer(response)).toEqual([200, { deleted: true, id: ADA }]);
  expect((await as(acme, `/api/v1/users/${ADA}`)).status).toBe(404);
});

it("Another instance's user is not found by its id in capitals either", async () => {
  const { as, globex } = await setup();
  expect((await as(globex, `/api/v1/users/${capitals(ADA)}`)).status).toBe(404);
});

it("A sign-in and the control API read ids and subdomains in capitals too", async () => {
  const { fetch, globex } = await setup({ control: true });
  for (const instance of [globex.id.toUpperCase(), "GLOBEX"]) {
    const started = await fetch(`/sign-in?redirect_uri=${APP}&instance=${instance}`);
    expect(locationOf(started).pathname).toBe("/__svc/simulator/github/authorize");
  }
  const headers = { authorization: `Bearer ${CONTROL_KEY}` };
  for (const path of [
    `users/${capitals(ADA)}`,
    `sessions/${capitals(SESSION)}`,
    `instances/${globex.id.toUpperCase()}`,
  ])
    expect([path, (await fetch(`/__svc/v1/${path}`, { headers })).status]).toEqual([path, 200]);
});

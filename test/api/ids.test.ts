import { expect, it } from "vitest";
import { answer, locationOf } from "../_answers.ts";
import { expectNotFound, NO_IDS, OTHER_PATHS } from "../_any-id.ts";
import { ADA, APP, CONTROL_KEY, SEED, SESSION, setup } from "../_setup.ts";
import { ask, listening, type Ask, type Told } from "../_sockets.ts";

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

const KEY = ["X-Service-Secret-Key", SEED.instances[0]!.secret_key];

it("Any text in place of an id is a user or a session that is not found, and is never decoded", async () => {
  const { port } = await listening();
  await expectNotFound((wanted: Ask): Promise<Told> => ask(port, { ...wanted, headers: KEY }));
});

it("Text in place of an id has the methods of an id, and needs a key like one", async () => {
  const { port } = await listening();
  for (const id of NO_IDS) {
    const path = `/api/v1/users/${id}`;
    const head = await ask(port, { method: "HEAD", path, headers: KEY });
    expect([path, head.status, head.body]).toEqual([path, 404, ""]);
    const post = await ask(port, { method: "POST", path, headers: KEY });
    expect([path, post.status, post.headers.allow]).toEqual([path, 405, "GET, HEAD, DELETE"]);
    const open = await ask(port, { path });
    expect([path, open.status, open.body]).toEqual([path, 401, '{"error":"Missing secret key"}']);
    const session = await ask(port, { path: `/api/v1/sessions/${id}` });
    expect([path, session.status, session.body]).toEqual([path, 401, '{"error":"Unauthorized"}']);
  }
});

it.each(["users", "sessions"])("An empty id, dots and slashes are other paths than an id of %s", async (noun) => {
  const { port } = await listening();
  for (const id of OTHER_PATHS) {
    const path = `/api/v1/${noun}/${id}`;
    for (const method of ["GET", "DELETE"]) {
      const { status, body } = await ask(port, { method, path, headers: KEY });
      expect([method, path, status, body]).toEqual([method, path, 404, '{"error":"Not found"}']);
    }
  }
});

it.each([
  "/api/v1/tokens/%41",
  "/oauth/%67oogle/callback",
  "/__svc/v1/users/%41",
  "/api/v1/users/a%41/b",
  "/%2e%2e/users",
])("Where no id of the API belongs, an escape is not found: %s", async (path) => {
  const { port } = await listening();
  const { status, body } = await ask(port, { path, headers: KEY });
  expect([status, body]).toEqual([404, '{"error":"Not found"}']);
});

it("The log names the route, and shows nothing of text in place of an id", async () => {
  const { as, acme, fetch, log } = await setup({ control: true });
  for (const id of ["%73k_live_secret", "hunter2%20horse", "ada@acme.test"]) await as(acme, `/api/v1/users/${id}`);
  const logged = log.requests.map(({ route, path, status }) => `${route} ${path} ${status}`);
  expect(logged).toEqual(Array(3).fill("/api/v1/users/:id null 404"));
  const headers = { authorization: `Bearer ${CONTROL_KEY}` };
  const requests = (await (await fetch("/__svc/v1/requests?control=false", { headers })).json()) as {
    data: { path: string };
  }[];
  expect(requests.map(({ data }) => data.path)).toEqual(Array(3).fill("/api/v1/users/[redacted]"));
});

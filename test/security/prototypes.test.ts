// Below the faces: a column that was polluted would be seen in no answer.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSeed } from "../../src/server/seed/parse.ts";
import { parseConfig, serve } from "../../src/server/index.ts";
import { answer, locationOf } from "../_answers.ts";
import { connected, network, openProvider, outcomeOf, verifying } from "../_attacks.ts";
import { temporaryDirectory } from "../_files.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, decodePart, encodePart, SEED, setup, START } from "../_setup.ts";
import { ask, listening } from "../_sockets.ts";
import { claimsOf, sign } from "../_tokens.ts";

const VERIFY = "/api/v1/tokens/verify";

const POLLUTION = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"__proto__":null}',
  '{"a":{"__proto__":{"polluted":1}}}',
  '[{"__proto__":{"polluted":1}}]',
  '{"\\u005f_proto__":{"polluted":1}}',
];

const NAMES = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "__defineGetter__"];

/** Checks that no property of every object has changed. */
function expectClean(): void {
  expect([Object.keys(Object.prototype), ({} as { polluted?: unknown }).polluted]).toEqual([[], undefined]);
}

describe("T30: No prototype is changed or read as data", () => {
  it.each(POLLUTION)("by the body %s", async (payload) => {
    const { acme, as } = await setup();
    const token = sign(acme.secret_key, claimsOf(acme));
    const send = (body: string): Promise<Response> => as(acme, VERIFY, { ...verifying(token), body });
    expect(await answer(await send(payload))).toEqual([400, { error: "Missing token" }]);
    expect(await answer(await send(`{"__proto__":{"token":"${token}"}}`))).toEqual([400, { error: "Missing token" }]);
    expect(
      (await send(payload.startsWith("[") ? `{"token":"${token}"}` : payload.replace("{", `{"token":"${token}",`)))
        .status,
    ).toBe(200);
    expectClean();
  });

  it.each(POLLUTION)("by a token with %s", async (payload) => {
    const { acme, as } = await setup();
    const forged = [
      sign(acme.secret_key, payload),
      sign(acme.secret_key, claimsOf(acme), payload),
      `${encodePart({ alg: "HS256" })}.${Buffer.from(payload).toString("base64url")}.${"A".repeat(43)}`,
    ];
    for (const token of forged) expect((await as(acme, VERIFY, verifying(token))).status).toBe(401);
    expectClean();
  });

  it.each(NAMES)("by the name %s in an address", async (name) => {
    const { acme, as, fetch } = await setup();
    const query = `${name}=1&${name}[polluted]=1&${name}.polluted=1&a[${name}][polluted]=1`;
    const statuses = await Promise.all([
      as(acme, `/api/v1/users?${query}`),
      as(acme, `/api/v1/users/${name}`),
      as(acme, `/api/v1/sessions/${name}`),
      as(acme, `/api/v1/users/${name}`, { method: "DELETE" }),
      as(acme, `/api/v1/users?after=${name}`),
      as(acme, `/api/v1/sessions?after=${name}`),
      as(acme, `/api/v1/instances/search?query=publishable_key:${name}`),
      fetch(`/oauth/${name}/callback?code=c&state=${name}`),
      fetch(`/oauth/authorize?provider=${name}&redirect_uri=${APP}`),
      fetch(`/__svc/begin?instance=${name}&provider=google&redirect_uri=${APP}`),
      fetch(`/__svc/simulator/${name}/authorize?request=${name}`),
      fetch(`/__svc/simulator/google/authorize?request=${name}`),
      fetch(`/__svc/simulator/avatars/${name}.svg`),
      fetch(`/__svc/signed-in?error=${name}`),
      fetch(`http://${name}.localhost:7820/sign-in?redirect_uri=${APP}`),
      fetch("/api/v1/users", { headers: { "x-service-secret-key": name } }),
      fetch("/api/v1/users", { headers: { [name]: "x" } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([
      200, 404, 404, 404, 400, 400, 404, 400, 400, 404, 404, 400, 404, 200, 404, 401, 401,
    ]);
    expectClean();
  });

  it.each(POLLUTION.flatMap((payload) => [[payload, "/token"] as const, [payload, "/google/userinfo"] as const]))(
    "by a provider's %s at %s",
    async (payload, at) => {
      const provider = await openProvider();
      provider.reply = (path) => (path === at ? { body: payload } : undefined);
      const { fetch, log } = await setup({ seed: connected(provider), fetch: network });
      const start = await fetch(`/oauth/authorize?provider=google&redirect_uri=${APP}`);
      const back = await fetch(`/oauth/google/callback?code=c&state=${locationOf(start).searchParams.get("state")}`);
      expect(locationOf(back).searchParams.get("error")).toBe("server_error");
      const missing = "(sub, email are|access_token is) missing or ha(s|ve) the wrong form";
      const why = `answered 200, but (${missing}|not with JSON of the expected form)\\. Check the endpoint's address\\.`;
      const logged = new RegExp(`^google: server_error: Google's ${at.split("/").at(-1)} endpoint ${why}$`);
      expect(log.failures).toEqual([expect.stringMatching(logged)]);
      expectClean();
    },
  );

  it("by additional members of a provider's valid answer", async () => {
    const provider = await openProvider();
    provider.reply = (path) =>
      path === "/google/userinfo"
        ? {
            body: `{"sub":"7001","email":"joan@acme.test","email_verified":true,"__proto__":{"sub":"1001","email":"ada@acme.test","polluted":1}}`,
          }
        : undefined;
    const { fetch } = await setup({ seed: connected(provider), fetch: network });
    const start = await fetch(`/oauth/authorize?provider=google&redirect_uri=${APP}`);
    const back = await fetch(`/oauth/google/callback?code=c&state=${locationOf(start).searchParams.get("state")}`);
    expect(decodePart(locationOf(back).searchParams.get("token") ?? "", 1)).toMatchObject({ email: "joan@acme.test" });
    expectClean();
  });

  it.each([
    `{"__proto__":{"host":"0.0.0.0"}}`,
    `{"constructor":{"prototype":{"host":"0.0.0.0"}}}`,
    `{"providers":{"__proto__":{"google":{"client_id":"a","client_secret":"b"}}}}`,
    `{"providers":{"google":{"client_id":"a","client_secret":"b","__proto__":{"endpoints":{"token":"http://evil.example"}}}}}`,
    `{"providers":{"google":{"client_id":"a","client_secret":"b","endpoints":{"__proto__":{"token":"http://evil.example"}}}}}`,
  ])("by a configuration of %s", async (source) => {
    const parsed = await parseConfig(source, "config").catch((error: unknown) => error as Error);
    const read = outcomeOf(() => {
      if (parsed instanceof Error) throw parsed;
      const { host, credentials } = parsed;
      return { host, google: credentials?.google?.client_id, token: credentials?.google?.endpoints?.["token"] };
    });
    expect(read).toMatch(/^(?:ServeError: |\{\}$|\{"google":"a"\}$)/);
    expectClean();
  });

  it.each([
    `{"__proto__":{"instances":[]}}`,
    `{"instances":[{"name":"A","subdomain":"a","__proto__":{"active":false,"polluted":1}}]}`,
    `{"instances":[{"name":"A","subdomain":"a","connections":{"__proto__":{"google":{"client_id":"x","client_secret":"y"}}}}]}`,
    `{"instances":[{"name":"A","subdomain":"a","users":[{"name":"B","email":"b@x.test","__proto__":{"password_digest":"x"}}]}]}`,
    `{"instances":[{"name":"A","subdomain":"a","users":[{"name":"B","email":"b@x.test","sessions":[{"provider":"google","geo_data":{"__proto__":{"polluted":1}}}]}]}]}`,
  ])("by a seed of %s", (source) => {
    const read = outcomeOf(() => {
      const { instances, users, sessions } = parseSeed(source, "seed", START);
      return [
        instances[0]?.active,
        instances[0]?.connections.google,
        users[0]?.password_digest,
        sessions[0]?.geo_data["polluted"],
      ];
    });
    expect(read).toMatch(/^(?:SeedError: |\[true,null,null,null\]$)/);
    expectClean();
  });

  it("by a record in the store", async () => {
    const path = join(temporaryDirectory(), "db.json");
    const seed = seedFile({
      instances: [{ ...SEED.instances[0], users: NAMES.map((name) => ({ name, email: `${name}@x.test` })) }],
    });
    const first = await serve({ port: 0, store: path, seed });
    await first.close();
    const server = await listening({ store: path, seed: undefined });
    const key = ["X-Service-Secret-Key", SEED.instances[0]!.secret_key];
    const found = await ask(server.port, { path: "/api/v1/users/search?query=name:__proto__", headers: key });
    expect((JSON.parse(found.body) as { data: { name: string } }[]).map(({ data }) => data.name)).toEqual([
      "__proto__",
    ]);
    expectClean();
  });
});

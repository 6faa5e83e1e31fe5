import { expect, it } from "vitest";
import { serviceBy } from "../_services.ts";

it.each([
  ["google", { name: 7 }, undefined, { data: { name: "kay@acme.test" } }],
  ["google", { name: "Countess", hd: "acme.test", extra: { a: [1] } }, undefined, { data: { name: "Countess" } }],
  [
    "google",
    { email_verified: "true" },
    ["name", "picture"],
    { data: { name: "kay@acme.test", email: "kay@acme.test" } },
  ],
  ["github", { name: null, login: "countess" }, undefined, { data: { name: "countess" } }],
  [
    "github",
    { emails: [{ email: "new@acme.test", primary: true, verified: true }] },
    undefined,
    { data: { email: "new@acme.test" } },
  ],
  ["twitter", { data: { name: "Countess", id: "77" } }, ["data.profile_image_url"], { data: { name: "Countess" } }],
  [
    "twitter",
    { name: "Countess", errors: [] },
    ["profile_image_url"],
    { data: { name: "Countess", avatar_url: null } },
  ],
] as const)("A profile of %s with %j is sent in place of the account's", async (provider, profile, omit, user) => {
  const svc = await serviceBy("in process");
  const { token, user_id, flow_id } = await svc.signIn({
    as: "kay@acme.test",
    provider,
    profile,
    ...(omit && { omit: [...omit] }),
  });
  expect(token).toBeDefined();
  expect(await svc.users.get(user_id!)).toMatchObject(user);
  const step = (await svc.flows.get(flow_id)).data.steps.find(({ name }) => name === "provider");
  expect(step!.answered!["profile_changes"]).toContain(Object.keys(profile)[0]);
});

it.each([
  ["google", { email: 7 }, undefined],
  ["google", { sub: {} }, undefined],
  ["google", {}, ["sub"]],
  ["github", { emails: "none" }, undefined],
  ["github", {}, ["emails"]],
  ["twitter", { data: [] }, undefined],
  ["twitter", {}, ["data"]],
  ["twitter", {}, ["id"]],
] as const)(
  "A profile of %s with %j and without %j ends in an error that names the endpoint",
  async (provider, profile, omit) => {
    const svc = await serviceBy("in process");
    const { error, flow_id } = await svc.signIn({
      as: "kay@acme.test",
      provider,
      profile,
      ...(omit && { omit: [...omit] }),
    });
    expect(error).toBe("server_error");
    expect((await svc.flows.get(flow_id)).data.reason).toMatch(
      /^(?:The (?:userinfo|user|emails|me) endpoint|.*(?:userinfo|user|emails|me))/,
    );
  },
);

it("A scenario changes the profile of the sign-in that meets it, also in the kit's spelling for what is left out", async () => {
  const svc = await serviceBy("in process");
  const { data } = await svc.scenarios.next({
    as: "kay@acme.test",
    profile: { name: undefined, data: { id: undefined }, hd: "acme.test" },
  });
  expect(data).toMatchObject({ profile: { hd: "acme.test" }, omit: ["name", "data.id"] });
  const { user_id } = await svc.signIn();
  expect((await svc.users.get(user_id!)).data.name).toBe("kay@acme.test");
});

it("A replay repeats the changes to the profile, which the sign-in's flow names alone", async () => {
  const svc = await serviceBy("in process");
  const options = { as: "kay@acme.test", profile: { name: "Countess", picture: undefined } };
  const { flow_id, user_id } = await svc.signIn(options);
  await svc.users.delete(user_id!);
  const again = await svc.flows.replay(flow_id);
  expect((await svc.users.get(again.user_id!)).data).toMatchObject({ name: "Countess", avatar_url: null });
  expect((await svc.flows.get(again.flow_id)).data).not.toHaveProperty("profile");
});

it("Any claim is edited before a token is signed, and the kinds of token stay", async () => {
  const svc = await serviceBy("in process");
  await svc.signIn({ as: "ada" });
  const create = async (options: Parameters<typeof svc.tokens.create>[0]) => {
    const { token, expect: expected } = await svc.tokens.create({ user: "ada", ...options });
    const { claims, problem } = await svc.tokens.verify(token);
    return { claims: claims!, problem, expected };
  };
  const added = await create({ claims: { role: "admin", name: "Countess" } });
  expect(added).toMatchObject({ claims: { role: "admin", name: "Countess", email: "ada@acme.test" }, problem: null });
  const odd = await create({ claims: { name: null, email: ["a"], iat: "now" } });
  expect(odd).toMatchObject({ claims: { name: null, email: ["a"] }, expected: { status: 401 } });
  expect((await create({ claims: { sub: undefined } })).claims).not.toHaveProperty("sub");
  expect((await create({ claims: { exp: 1 }, omit: ["email"] })).problem).not.toBeNull();
  const both = await create({ kind: "wrong_issuer", claims: { provider: 1 } });
  expect(both.claims).toMatchObject({ iss: "https://issuer.example", provider: 1 });
  const attack = await svc.control.request("POST /tokens", {
    body: JSON.parse('{"claims":{"constructor":{"prototype":{"polluted":1}}}}'),
  });
  expect(attack.token).toBeDefined();
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

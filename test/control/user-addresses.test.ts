// Below the faces: an older svc stored such addresses, and this one takes none.

import { describe, expect, it } from "vitest";
import { ADA, APP, setup, CONTROL_KEY, decodePart, SEED, type Service } from "../_setup.ts";
import { newRecord } from "../../src/server/store/records.ts";

interface Answered {
  readonly status: number;
  readonly error: string | undefined;
  readonly email: string | undefined;
}

async function send(service: Service, method: string, path: string, body?: object): Promise<Answered> {
  const response = await service.fetch(`/__svc/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { error, data } = (await response.json()) as { error?: string; data?: { email: string } };
  return { status: response.status, error, email: data?.email };
}

/** A seed with one user at this address. */
function seedWith(email: string): object {
  return { instances: [{ name: "Acme", subdomain: "acme", users: [{ email, name: "Ada" }] }] };
}

const INVALID = [
  "a＠b@c.d",
  "plain@-x!",
  "ada@acme.test.",
  "a\u0000b@acme.test",
  "ada@acmé.test/x",
  "ada@acmé\u3002test",
  "ada@ac\u00admé.test",
  "ada@acm%C3%A9.test",
  "ada",
  "a@x..test",
  "a@xn--.test",
  "a@.test",
  "a@-x.test",
  "a@x-.test",
];

describe("A user's e-mail address", () => {
  it.each(INVALID)("%o is rejected by POST and PATCH /users and in a seed", async (email) => {
    const service = await setup({ control: true });
    const rejected = {
      status: 400,
      error: expect.stringMatching(/email: must (?:be an e-mail|not contain)/) as string,
    };
    expect(await send(service, "POST", "/users", { email, name: "A" })).toMatchObject(rejected);
    expect(await send(service, "PATCH", `/users/${ADA}`, { email })).toMatchObject(rejected);
    expect(await send(service, "POST", "/seed", seedWith(email))).toMatchObject(rejected);
    await expect(setup({ seed: seedWith(email) })).rejects.toThrow(/users\[0\]\.email: must/);
  });

  it.each([
    ["ａｄａ２@ａｃｍｅ.test", "ada2@acme.test"],
    ["b＠c.d", "b@c.d"],
    ["ada@acmé.test", "ada@xn--acm-dma.test"],
  ])("%o is stored as %o by POST and PATCH /users and in a seed", async (email, stored) => {
    const service = await setup({ control: true });
    expect(await send(service, "POST", "/users", { email, name: "A" })).toMatchObject({ status: 201, email: stored });
    const patched = await setup({ control: true });
    expect(await send(patched, "PATCH", `/users/${ADA}`, { email })).toMatchObject({ status: 200, email: stored });
    const seeded = await setup({ seed: seedWith(email) });
    expect(await (await seeded.as(seeded.acme, "/api/v1/users")).json()).toMatchObject([{ data: { email: stored } }]);
  });

  it.each([
    [{ email: "new@acme.test" }, false],
    [{ email: "new@acme.test", email_verified_at: "2026-02-01T00:00:00Z" }, true],
    [{ email: "ADA@acme.test" }, true],
    [{ name: "Countess" }, true],
    [{ email_verified_at: null }, false],
  ])("after PATCH /users with %j is verified: %j", async (body, isVerified) => {
    const service = await setup({ control: true });
    expect((await send(service, "PATCH", `/users/${ADA}`, body)).status).toBe(200);
    const { user } = (await service.store.findUser(service.acme.id, ADA))!;
    expect(user.email_verified_at !== null).toBe(isVerified);
  });

  it("T19: that was changed to another person's gives whoever changed it no way in once its owner signs in", async () => {
    const owner = { id: "owner", name: "Owner", email: "owner@acme.test", google: { sub: "77", email_verified: true } };
    const service = await setup({ control: true, seed: { ...SEED, personas: [...SEED.personas, owner] } });
    const subject = async (as: string): Promise<unknown> => decodePart(await service.tokenFor("google", as), 1)["sub"];
    expect(await subject("ada")).toBe(ADA);
    await send(service, "PATCH", `/users/${ADA}`, { email: owner.email });
    expect(await subject("owner")).toBe(ADA);
    expect((await service.store.identitiesOf(service.acme.id, ADA)).map(({ uid }) => uid)).toEqual(["77"]);
    const { data } = (await service.client(service.acme).sessions.list()).find((session) => session.data.active)!;
    expect(data).toMatchObject({ user_id: ADA, name: "Ada Lovelace", email: owner.email });
    expect(await subject("ada")).not.toBe(ADA);
  });

  it("that is too long is rejected for its length alone", async () => {
    const service = await setup({ control: true });
    const domain = "@acme.test";
    const longest = "a".repeat(254 - domain.length) + domain;
    expect(await send(service, "POST", "/users", { email: longest, name: "A" })).toMatchObject({ status: 201 });
    expect(await send(service, "POST", "/users", { email: `a${longest}`, name: "A" })).toMatchObject({
      status: 400,
      error: "Bad request: email: must have at most 254 characters",
    });
  });

  it.each(["a..b@acme.test", ".a@acme.test", "a.@acme.test"])(
    "%s is accepted: some providers gave out such addresses",
    async (email) => {
      const service = await setup({ control: true });
      expect(await send(service, "POST", "/users", { email, name: "A" })).toMatchObject({ status: 201, email });
    },
  );

  it("that an older version stored is still listed, found and kept by other changes", async () => {
    const service = await setup({ control: true });
    const email = "plain@-x!";
    const user = newRecord("users", {
      ...(await service.store.find("users", { instance_id: service.acme.id, id: ADA }))!,
      id: crypto.randomUUID(),
      email,
    });
    await service.store.add({ users: [user] });
    expect(await send(service, "GET", `/users/${user.id}`)).toMatchObject({ status: 200, email });
    expect(await send(service, "PATCH", `/users/${user.id}`, { name: "B" })).toMatchObject({ status: 200, email });
    const found = await service.as(service.acme, `/api/v1/users/search?query=${encodeURIComponent(`email:${email}`)}`);
    expect(await found.json()).toHaveLength(1);
  });

  it("may be anything that a provider can send in a persona, and is checked when the persona signs in", async () => {
    const personas = [{ id: "x", name: "X", email: "plain@-x!", google: { sub: "9", email_verified: true } }];
    const service = await setup({ seed: { ...SEED, personas } });
    const url = await service.signIn("google", "x", { redirect_uri: APP });
    expect(url.searchParams.get("error")).toBe("email_invalid");
  });
});

describe("A user's picture", () => {
  it.each([
    "javascript:alert(1)",
    "data:image/svg+xml,<svg/>",
    "file:///etc/passwd",
    "ftp://acme.test/a.png",
    "ada.png",
  ])("T37: %s is rejected by POST and PATCH /users and in a seed", async (avatar_url) => {
    const service = await setup({ control: true });
    const user = { email: "new@acme.test", name: "A", avatar_url };
    const seed = { instances: [{ name: "Initech", subdomain: "initech", users: [user] }] };
    const sentence = "avatar_url: must be an http or https address";
    const rejected = { status: 400, error: expect.stringContaining(sentence) as string };
    expect(await send(service, "POST", "/users", user)).toMatchObject(rejected);
    expect(await send(service, "PATCH", `/users/${ADA}`, { avatar_url })).toMatchObject(rejected);
    expect(await send(service, "POST", "/seed", seed)).toMatchObject(rejected);
    await expect(setup({ seed })).rejects.toThrow(sentence);
  });

  it.each(["https://acme.test/a.png", "HTTP://localhost:3000/a?b#c", null])("%s is accepted", async (avatar_url) => {
    const service = await setup({ control: true });
    expect(await send(service, "PATCH", `/users/${ADA}`, { avatar_url })).toMatchObject({ status: 200 });
  });
});

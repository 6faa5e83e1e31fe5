import { describe, expect, it } from "vitest";
import { CONTROL_KEY, setup, type Service } from "../_setup.ts";

/** A record, in parts. */
interface Listed {
  readonly id: string;
  readonly data: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
}

async function send(service: Service, method: string, path: string, body?: object): Promise<Listed> {
  const response = await service.fetch(`/__svc/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${CONTROL_KEY}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Listed;
}

const NAMES = ["Ada Lovelace", "Ada Byron", "Conan O’Brien", "हिन्दी नाम", "Zoë Lovelace"];

describe("A search for the words of a name", () => {
  it.each([
    ["lovelace ada", ["Ada Lovelace"]],
    ["LOVE", ["Ada Lovelace", "Zoë Lovelace"]],
    ["o’brien", ["Conan O’Brien"]],
    ["नाम हिन्दी", ["हिन्दी नाम"]],
    ["name:*ada* %", []],
    ["ada grace", []],
  ])("finds %s", async (words, found) => {
    const service = await setup({ control: true });
    await send(service, "POST", "/instances", { name: "Names", subdomain: "names" });
    for (const [n, name] of NAMES.entries())
      await send(service, "POST", "/users", { instance: "names", name, email: `user${n}@names.test` });
    const search = `instance=names&name=${encodeURIComponent(words)}`;
    const users = (await send(service, "GET", `/users?${search}`)) as unknown as { data: { name: string } }[];
    expect(users.map(({ data }) => data.name).toSorted()).toEqual(found);
    expect(await send(service, "GET", `/users/count?${search}`)).toEqual({ count: found.length, is_complete: true });
    expect(await send(service, "GET", `/users/count?${search}&query=email:nobody`)).toMatchObject({ count: 0 });
  });
});

describe("A persona", () => {
  it("has an account at each provider, with its address, unless it is given accounts", async () => {
    const service = await setup({ control: true });
    const made = await send(service, "POST", "/personas", { name: "Mary Shelley", email: "mary@example.test" });
    expect(made.data).toMatchObject({
      google: { email_verified: true },
      github: { login: "mary", emails: [{ email: "mary@example.test", primary: true, verified: true }] },
      twitter: { username: "mary" },
    });
    const google = { sub: "9001", email_verified: false };
    const other = await send(service, "POST", "/personas", { name: null, email: "jane@example.test", google });
    expect([other.data["google"], other.data["github"], other.data["twitter"]]).toEqual([google, undefined, undefined]);
  });

  it("has the accounts that it is given, until null removes one", async () => {
    const service = await setup({ control: true });
    const made = await send(service, "POST", "/personas", {
      name: "Mary Shelley",
      email: "mary@example.test",
      google: { sub: "9001", email_verified: false },
    });
    expect(made.data).toMatchObject({ google: { email_verified: false } });
    const twitter = { id: "77", username: "mary" };
    const { data } = await send(service, "PATCH", `/personas/${made.id}`, { google: null, twitter });
    expect([data["google"], data["github"], data["twitter"]]).toEqual([undefined, undefined, twitter]);
  });
});

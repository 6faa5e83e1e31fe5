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
  it("gets the accounts that are missing, each with its address", async () => {
    const service = await setup({ control: true });
    const made = await send(service, "POST", "/personas", {
      name: "Mary Shelley",
      email: "mary@example.test",
      email_verified: false,
      twitter: { id: "77", username: "mary" },
    });
    expect(made.data).toMatchObject({
      google: { email_verified: false },
      github: { login: "mary", emails: [{ email: "mary@example.test", primary: true, verified: false }] },
      twitter: { id: "77", username: "mary" },
    });
    expect(made.data).not.toHaveProperty("email_verified");
    const path = `/personas/${made.id}`;
    await send(service, "PATCH", path, { google: null });
    const { data } = await send(service, "PATCH", path, { email_verified: true, github: null });
    expect([data["google"]?.["email_verified"], data["github"], data["twitter"]?.["id"]]).toEqual([
      true,
      undefined,
      "77",
    ]);
  });
});

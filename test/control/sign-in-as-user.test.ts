import { expect, it } from "vitest";
import { startServer, type ControlledServer } from "../_control.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

interface User {
  readonly id: string;
  readonly data: { readonly email: string; readonly name: string; readonly providers: readonly string[] };
}

async function usersOf(server: ControlledServer): Promise<User[]> {
  return (await server.control("GET /users?limit=100")).body as User[];
}

it("A sign-in as a generated user is this user's at every provider, and changes neither address nor name", async () => {
  const server = await startServer();
  await server.control("POST /seed", { generate: { users: 24, seed: 5 } });
  const users = (await usersOf(server)).filter(({ data }) => data.email.includes("@example."));
  expect(new Set(users.flatMap(({ data }) => data.providers))).toEqual(new Set(PROVIDERS));
  for (const { id: user_id, data } of users) {
    const { body } = await server.control("POST /sign-ins", { provider: data.providers[0], as: data.email });
    expect([body.error, body.user_id]).toEqual([undefined, user_id]);
  }
  const names = ({ id: user_id, data }: User): string[] => [user_id, data.email, data.name];
  const after = (await usersOf(server)).filter(({ data }) => data.email.includes("@example."));
  expect(after.map(names).toSorted()).toEqual(users.map(names).toSorted());
});

it("A sign-in as a user with a placeholder for an address is this user's", async () => {
  const server = await startServer();
  const user = (await usersOf(server)).find(({ data }) => data.email === "3001@twitter.invalid")!;
  const sign = async (as: string): Promise<unknown> =>
    (await server.control("POST /sign-ins", { provider: "twitter", as })).body.user_id;
  expect(await sign("3001@twitter.invalid")).toBe(user.id);
  expect(await sign("3001@TWITTER.invalid")).toBe(user.id);
  const typed = await sign("mary@geneva.test");
  const { email } = (await usersOf(server)).find(({ id }) => id === typed)!.data;
  expect(email).toMatch(/^\d+@twitter\.invalid$/);
  expect(await sign(email)).toBe(typed);
});

import { expect, it } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { KEY } from "../_client.ts";
import { runCli } from "../_cli.ts";

const DEEP = "[".repeat(100_000) + "]".repeat(100_000);
const user = (data: string): string => `[{"id":"x","resource":"user","data":${data}}]`;

/** JSON that no service sends. */
const BODIES: Readonly<Record<string, string>> = {
  "100,000 levels": DEEP,
  "100,000 levels in a name": user(`{"email":"a@b.c","name":${DEEP},"providers":[]}`),
  "null in place of a list": "null",
  "null in place of a record": "[null]",
  "null in place of a record's values": user("null"),
  "a record without anything": "[{}]",
  "a number": "5",
};

const PRODUCT = [
  "users list",
  "users list --json",
  "users list --output csv",
  "users get ada@acme.test",
  "users get 00000000-0000-4000-8000-0000000000a1",
  "sessions list",
  "users delete ada@acme.test --yes",
  "tokens verify x.y.z",
];
const CONTROL = ["dev clock", "dev instances list", "dev users update ada@acme.test --name x", "logs"];

it.each(Object.keys(BODIES))(
  "A service that answers with %s is said to be none, in no words of JavaScript",
  async (what) => {
    const fetch: Fetch = () =>
      Promise.resolve(
        new Response(BODIES[what], { headers: { "content-type": "application/json" } }) as unknown as Awaited<
          ReturnType<Fetch>
        >,
      );
    for (const line of [...PRODUCT, ...CONTROL]) {
      const env = CONTROL.includes(line)
        ? { SVC_CONTROL_URL: "https://acme.test", SVC_CONTROL_KEY: "ctl_x" }
        : { SVC_BASE_URL: "https://acme.test", SVC_SECRET_KEY: KEY };
      const { code, stderr } = await runCli(line.split(" "), { env, fetch });
      expect([line, [0, 3, 5, 7]]).toEqual([line, expect.arrayContaining([code])]);
      expect(stderr).not.toMatch(/unexpected error|call stack|undefined|iterable|not a function|invalid time/i);
    }
  },
);

it("What svc can't read of an answer that names itself as svc's is a defect of svc", async () => {
  const env = { SVC_BASE_URL: "https://acme.test", SVC_SECRET_KEY: KEY };
  const own = { "svc-instance": "acme 00000000-0000-4000-8000-0000000000a1" };
  const ended = async (headers: object): Promise<unknown> => {
    const sent = { "content-type": "application/json", ...headers };
    const fetch = (() => Promise.resolve(new Response(user("null"), { headers: sent }))) as unknown as Fetch;
    const { code, stderr } = await runCli(["users", "list"], { env, fetch });
    return [code, stderr.split("\n")[0]];
  };
  expect(await ended({})).toEqual([7, "✗ What acme.test answered can't be read as a service's answer."]);
  expect(await ended(own)).toEqual([1, expect.stringMatching(/^✗ Unexpected error: /)]);
});

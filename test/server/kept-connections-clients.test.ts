import { describe, expect, it } from "vitest";
import { needs } from "../_machine.ts";
import { DISCOVERY, KEY, server, useServer } from "../_raw-http.ts";
import { ON_NODE, throughPython, type Client, type Sent } from "./_keeping-clients.ts";

useServer();

const ROUNDS = 6;
const VERIFY = "/api/v1/tokens/verify";
const ADA = "/api/v1/users/00000000-0000-4000-8000-0000000000a1";
const json = { "content-type": "application/json" };
const keyed = { ...json, "x-service-secret-key": KEY };
const body = '{"token":"x"}';
const good: Sent = { method: "GET", path: DISCOVERY, headers: {} };

const REFUSED: [name: string, refused: Sent, status: number][] = [
  ["no key", { method: "POST", path: VERIFY, headers: json, body }, 401],
  ["a deletion without a key", { method: "DELETE", path: ADA, headers: json, body }, 401],
  ["no such path", { method: "POST", path: "/nope", headers: json, body }, 404],
  ["no such method", { method: "PUT", path: ADA, headers: json, body }, 405],
  ["a body nobody reads", { method: "GET", path: ADA, headers: keyed, body: "{}" }, 200],
  [
    "a body that is too long",
    { method: "POST", path: VERIFY, headers: keyed, body: body.replace("x", "x".repeat(70_000)) },
    413,
  ],
];

/** What each kind of refused request is answered, and what the good ones behind it are answered but 200. */
async function outcomesOf(client: Client, kinds: readonly Sent[]): Promise<unknown[][]> {
  const rounds = kinds.flatMap((refused) => Array.from({ length: ROUNDS }, () => [refused, good]).flat());
  const seen = await client(`http://127.0.0.1:${server.port}`, rounds);
  return kinds.map((_, kind) => {
    const own = seen.slice(2 * ROUNDS * kind, 2 * ROUNDS * (kind + 1));
    return [
      ...new Set(own.filter((_status, n) => n % 2 === 0)),
      own.filter((status, n) => n % 2 === 1 && status !== 200),
    ];
  });
}

describe.each(Object.entries(ON_NODE))("A refused request costs the next of %s nothing:", (_, client) => {
  it.each(REFUSED)("%s", async (...[, refused, status]) => {
    expect(await outcomesOf(client, [refused])).toEqual([[status, []]]);
  });
});

for (const module of ["requests", "httpx"] as const) {
  const name = `A refused request costs the next of Python's ${module} nothing, whatever it is refused for`;
  it(name, needs(`python3-${module}`), async () => {
    const client = throughPython(module);
    // In one run: Python takes longer to start than to ask.
    const outcomes = await outcomesOf(
      client,
      REFUSED.map(([, refused]) => refused),
    );
    expect(outcomes).toEqual(REFUSED.map(([, , status]) => [status, []]));
  });
}

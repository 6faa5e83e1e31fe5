import { describe, expect, it } from "vitest";
import type { Fetch } from "../../src/client/index.ts";
import { caught, clientWith } from "../_client.ts";

const never = (): Promise<never> => new Promise(() => undefined);
/** A body that starts and then stalls. */
async function* stalled(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode("[");
  await never();
}
const STALLING: [what: string, fetch: Fetch][] = [
  ["never answers", never],
  [
    "never finishes its body",
    async () => ({
      status: 200,
      headers: new Headers(),
      body: stalled(),
      text: never,
    }),
  ],
];

describe("A call with a custom fetch that ignores its signal", () => {
  it.each(STALLING)("still times out when it %s", async (_, fetch) => {
    const error = await caught(clientWith(fetch, { timeoutMs: 20, retry: 0 }).users.list());
    expect(error).toMatchObject({ name: "ConnectionError", code: "timeout" });
  });

  it.each(STALLING)("still ends with the caller's signal when it %s", async (_, fetch) => {
    const controller = new AbortController();
    const reason = new Error("not wanted any more");
    const calling = caught(clientWith(fetch, { retry: 0 }).users.list({}, { signal: controller.signal }));
    setImmediate(() => controller.abort(reason));
    expect(await calling).toBe(reason);
  });
});

it("A custom fetch is called as a plain function, because a browser's own refuses to be a method", async () => {
  const owners: unknown[] = [];
  const fetch: Fetch = async function (this: unknown) {
    owners.push(this);
    return { status: 200, headers: new Headers(), body: [new TextEncoder().encode("[]")], text: async () => "[]" };
  };
  await clientWith(fetch).users.list();
  expect(owners).toEqual([undefined]);
});

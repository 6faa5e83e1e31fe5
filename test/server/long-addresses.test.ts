// Below the faces: Node refuses such a header before it reaches the service.

import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { createClientAddress, createIsProxy } from "../../src/server/http/client-address.ts";
import { heap } from "../_heap.ts";
import { APP, CONTROL_KEY, FRONT, setup } from "../_setup.ts";

const COUNT = 500;
/** As much as a client can send: altogether 15 MB. */
const JUNK = "x".repeat(30_000);
const MOST_MIB = 5;

/** A text that shares no memory with others, as one that was just received. */
function received(text: string): string {
  return Buffer.from(text).toString();
}

describe("The server keeps in memory what it stores of a request, and not the rest of it", () => {
  it("of 500 sign-ins that begin with a long address", async () => {
    const { fetch, store } = await setup();
    const before = heap();
    for (let n = 0; n < COUNT; n++)
      await fetch(received(`${FRONT}/oauth/authorize?provider=google&redirect_uri=${APP}&x=${JUNK}`));
    expect(heap() - before).toBeLessThan(MOST_MIB);
    expect(await store.counts()).toMatchObject({ states: COUNT });
  });

  it("of 500 callbacks with a long address that belong to no sign-in", async () => {
    const { fetch } = await setup({ control: true });
    const before = heap();
    for (let n = 0; n < COUNT; n++) {
      const state = String(n).padStart(64, "0");
      await fetch(received(`${FRONT}/oauth/google/callback?state=${state}&error=${"e".repeat(20)}&x=${JUNK}`));
    }
    expect(heap() - before).toBeLessThan(MOST_MIB);
    const headers = { authorization: `Bearer ${CONTROL_KEY}` };
    expect(await (await fetch(`${FRONT}/__svc/v1/flows/summary`, { headers })).json()).toMatchObject({ total: COUNT });
  });

  it("of 500 long X-Forwarded-For headers", () => {
    const addressOf = createClientAddress(createIsProxy(["127.0.0.1"]));
    const before = heap();
    const kept = Array.from({ length: COUNT }, () =>
      addressOf({
        headers: { "x-forwarded-for": received(`${JUNK}, 203.0.113.100`) },
        socket: { remoteAddress: "127.0.0.1" },
      } as unknown as IncomingMessage),
    );
    expect(heap() - before).toBeLessThan(MOST_MIB);
    expect(new Set(kept)).toEqual(new Set(["203.0.113.100"]));
  });
});

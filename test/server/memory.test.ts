// Below the faces: as many codes and requests as no test can send.
import { expect, it } from "vitest";
import { logTo, RequestLog } from "../../src/server/history/request-log.ts";
import { createGrants } from "../../src/server/simulator/grants.ts";
import { createSealer } from "../../src/server/simulator/sealer.ts";
import { StateQueue } from "../../src/server/store/memory/tenant.ts";
import { heap } from "../_heap.ts";
import { state } from "../store/_records.ts";

it("The simulator remembers a bounded number of redeemed codes, in a few MiB", () => {
  const persona = { id: "ada", name: "Ada", email: "ada@acme.test", avatar_url: null, accounts: {} };
  const now = (): Date => new Date(0);
  const grants = createGrants({
    sealer: createSealer(Buffer.alloc(32)),
    recall: () => ({ ...persona }),
    now,
  });
  const redirect_uri = `http://localhost/callback?${"x".repeat(500)}`;
  const registered = { client_id: "acme", registration: "one" };
  const client = { provider: "google" as const, ...registered, redirect_uri };
  const asked = { scopes: ["openid"], state: "the-state", browser: "the-browser", flow_id: "0123456789abcdef" };
  const request = {
    ...client,
    ...asked,
    code_challenge: undefined,
    outcome: undefined,
    profile: undefined,
    delays: undefined,
  };
  const redeem = (code: string): boolean => {
    const sent = { credentials: [], method: "body", code_verifier: undefined, accept: "" } as const;
    const token = { ...client, ...sent, purpose: "code", code } as const;
    return "access_token" in grants.redeem("google", token, registered, grants.open(token));
  };
  const sign = (count: number): void => {
    for (let n = 0; n < count; n++) if (!redeem(grants.issueCode(request, persona))) throw new Error("not redeemed");
  };
  const empty = heap();
  sign(12_000);
  const full = heap();
  expect(full - empty).toBeLessThan(8);
  sign(24_000);
  expect(heap() - full).toBeLessThan(2);
  const code = grants.issueCode(request, persona);
  expect([redeem(code), redeem(code)]).toEqual([true, false]);
});

it("The server keeps nothing of finished sign-ins while an abandoned one is pending", () => {
  const queue = new StateQueue();
  const abandoned = state(0);
  queue.set(undefined, abandoned);
  const now = abandoned.created_at;
  const before = heap();
  let dropped = 0;
  for (let n = 1; n <= 60_000; n++) {
    const begun = { ...abandoned, state: `state-${n}` };
    queue.set(undefined, begun);
    dropped += queue.outdated(now).length;
    queue.set(begun, undefined);
  }
  expect(dropped).toBe(0);
  expect(heap() - before).toBeLessThan(2);
  expect(queue.outdated(abandoned.expires_at)).toEqual([abandoned]);
});

it("keeps the beginning of a long answer in the log of requests, and not the rest", () => {
  const log = new RequestLog();
  const note = logTo(log, () => new Date(0), undefined);
  const told = { method: "GET", route: "/api/v1/users", path: null, status: 200, ms: 1 };
  const owner = { instance: "acme", flow_id: null, reason: null };
  const before = heap();
  for (let n = 0; n < 1_000; n++) {
    const json = Buffer.alloc(100_000, "a").toString();
    note({ ...told, ...owner, request_id: `${n}` }, { target: "/api/v1/users", json }, new Headers());
  }
  expect(log.all).toHaveLength(1_000);
  expect(heap() - before).toBeLessThan(20);
  expect(log.all[0]).toMatchObject({ answer: `${"a".repeat(2048)}…` });
});

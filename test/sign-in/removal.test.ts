import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import { locationOf } from "../_answers.ts";
import { temporaryDirectory } from "../_files.ts";
import { setup, type Service } from "../_setup.ts";
import { begun, expectRefusedState, failure, untilCallback } from "../_sign-in.ts";
import { abandoned } from "../store/_abandoned.ts";
import { openHeldStore, type HeldLog } from "../store/_held-log.ts";
import { all } from "../store/_records.ts";

const CREDENTIALS = { google: { client_id: "our-google", client_secret: "google-secret" } };
const WRITE_FAILED = new StorageUnavailable("the disk is full");

/** A callback whose write waits until the log is released. */
async function heldCallback(): Promise<{ service: Service; log: HeldLog; toCallback: URL; state: string }> {
  const { store, log } = openHeldStore();
  const service = await setup({ store });
  const toCallback = await untilCallback(service, "google");
  log.groups.length = 0;
  log.isHolding = true;
  return { service, log, toCallback, state: toCallback.searchParams.get("state")! };
}

/** Whether there is an answer once everything has happened that does not need the log. */
async function isAnswered(answer: Promise<Response>): Promise<boolean> {
  let answered = false;
  void answer.then(() => (answered = true));
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  return answered;
}

async function usersOf({ store, acme }: Service): Promise<string[]> {
  return (await all(store.users(acme.id, {}))).map(({ user }) => user.updated_at);
}

describe("The removal of a state", () => {
  it("is written before the sign-in that it belongs to", async () => {
    let writes = 0;
    const path = join(temporaryDirectory(), "db.json");
    const store = await openFileStore(path, { warn: () => undefined, onCommit: () => writes++ });
    onTestFinished(() => store.close());
    const service = await setup({ store });
    const toCallback = await untilCallback(service, "google");
    writes = 0;
    expect(locationOf(await service.fetch(toCallback.href)).searchParams.has("token")).toBe(true);
    expect(writes).toBe(2);
    const after = await openFileStore(await abandoned(path), { warn: () => undefined });
    onTestFinished(() => after.close());
    expect(await after.takeState(toCallback.searchParams.get("state")!)).toBeUndefined();
    expect(await after.counts()).toEqual(await store.counts());
  });

  it.each([
    ["a token", (at: URL) => at.href],
    ["a code that the provider refuses", (at: URL) => at.href.replace(/code=[^&]+/, "code=wrong")],
    ["the provider's own error", (at: URL) => at.href.replace(/code=[^&]+/, "error=access_denied")],
    ["another provider's callback", (at: URL) => at.href.replace("/google/", "/github/")],
  ])("is durable before the callback is answered, for every result: %s", async (_, addressOf) => {
    const { service, log, toCallback, state } = await heldCallback();
    const answer = service.fetch(addressOf(toCallback));
    expect(await isAnswered(answer)).toBe(false);
    await log.next();
    const removals = log.groups
      .flat()
      .filter(({ before, after }) => !after && before && "state" in before && before.state === state);
    expect(removals).toHaveLength(1);
    log.isHolding = false;
    expect([302, 400]).toContain((await answer).status);
    await expectRefusedState(await service.fetch(toCallback.href));
  });

  it("blocks a second callback while it is written, and is complete before any answer", async () => {
    const { service, log, toCallback } = await heldCallback();
    const answers = Array.from({ length: 10 }, () => service.fetch(toCallback.href));
    expect(await isAnswered(Promise.race(answers))).toBe(false);
    await log.next();
    log.isHolding = false;
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses).toEqual([302, ...Array<number>(9).fill(400)]);
    expect(log.isIdle).toBe(true);
    expect(log.groups).toHaveLength(2);
  });

  it("answers 503 if it fails, and leaves state and users unchanged", async () => {
    const { service, log, toCallback, state } = await heldCallback();
    const before = await usersOf(service);
    const answer = service.fetch(toCallback.href);
    await log.next(WRITE_FAILED);
    expect((await answer).status).toBe(503);
    expect(await usersOf(service)).toEqual(before);
    log.isHolding = false;
    expect(await service.store.takeState(state)).toMatchObject({ state });
  });

  it("leaves the state to the next waiting callback if it fails", async () => {
    const { service, log, toCallback } = await heldCallback();
    const denied = toCallback.href.replace(/code=[^&]+/, "error=access_denied");
    const answers = [1, 2, 3].map(() => service.fetch(denied));
    await log.next(WRITE_FAILED);
    await log.next();
    const answered = await Promise.all(answers);
    expect(answered.map(({ status }) => status)).toEqual([503, 302, 400]);
    expect(locationOf(answered[1]!).href).toBe(failure("access_denied"));
  });

  it("is durable before a real provider is asked, and the provider is not asked if it fails", async () => {
    const { store, log } = openHeldStore();
    let asked = 0;
    const fetch = async (): Promise<Response> => {
      asked++;
      return new Response("{}", { status: 400 });
    };
    const service = await setup({ store, credentials: CREDENTIALS, fetch: fetch as never });
    const path = `/oauth/google/callback?code=c&state=${await begun(service, "google")}`;
    log.isHolding = true;
    const failed = service.fetch(path);
    expect(await isAnswered(failed)).toBe(false);
    await log.next(WRITE_FAILED);
    expect((await failed).status).toBe(503);
    expect(asked).toBe(0);
    const second = service.fetch(path);
    expect(await isAnswered(second)).toBe(false);
    expect(asked).toBe(0);
    await log.next();
    expect(locationOf(await second).href).toBe(failure("server_error"));
    expect(asked).toBe(1);
  });

  it("rejects the callback if the state was removed otherwise meanwhile", async () => {
    const { service, log, toCallback } = await heldCallback();
    const cleared = service.store.change("states", toCallback.searchParams.get("state")!, () => undefined);
    const answer = service.fetch(toCallback.href);
    await log.next();
    await cleared;
    log.isHolding = false;
    await expectRefusedState(await answer);
  });
});

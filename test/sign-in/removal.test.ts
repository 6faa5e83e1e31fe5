// Below the faces: writes are counted, and a crash is laid out between two of them.

import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { StorageUnavailable } from "../../src/server/store/store.ts";
import type { FetchResponse } from "../../src/http/fetch.ts";
import { locationOf } from "../_answers.ts";
import { temporaryDirectory } from "../_files.ts";
import { setup, type Service } from "../_setup.ts";
import { begun, CREDENTIALS, expectRefusedState, failure, untilCallback } from "../_sign-in.ts";
import { abandoned } from "../store/_abandoned.ts";
import { openHeldStore, type HeldLog } from "../store/_held-log.ts";
import { all } from "../store/_records.ts";

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
  it("is written with the sign-in that it belongs to", async () => {
    let writes = 0;
    const path = join(temporaryDirectory(), "db.json");
    const store = await openFileStore(path, { warn: () => undefined, onCommit: () => writes++ });
    onTestFinished(() => store.close());
    const service = await setup({ store });
    const toCallback = await untilCallback(service, "google");
    writes = 0;
    expect(locationOf(await service.fetch(toCallback.href)).searchParams.has("token")).toBe(true);
    expect(writes).toBe(1);
    const after = await openFileStore(await abandoned(path), { warn: () => undefined });
    onTestFinished(() => after.close());
    expect(await after.find("states", toCallback.searchParams.get("state")!)).toBeUndefined();
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

  it("makes every other callback a refusal at once, while the first is being finished", async () => {
    const { service, log, toCallback } = await heldCallback();
    const first = service.fetch(toCallback.href);
    expect(await isAnswered(first)).toBe(false);
    for (let n = 0; n < 9; n++) await expectRefusedState(await service.fetch(toCallback.href));
    await log.next();
    log.isHolding = false;
    expect(locationOf(await first).searchParams.has("token")).toBe(true);
    expect(log.isIdle).toBe(true);
    expect(log.groups).toHaveLength(1);
  });

  it("answers 503 if it fails, and leaves state and users unchanged", async () => {
    const { service, log, toCallback, state } = await heldCallback();
    const before = await usersOf(service);
    const answer = service.fetch(toCallback.href);
    await log.next(WRITE_FAILED);
    await log.next(WRITE_FAILED);
    expect((await answer).status).toBe(503);
    expect(await usersOf(service)).toEqual(before);
    log.isHolding = false;
    expect(await service.store.find("states", state)).toMatchObject({ state });
  });

  it("is written by itself if the sign-in could not be written, before the application is told", async () => {
    const { service, log, toCallback, state } = await heldCallback();
    const before = await usersOf(service);
    const answer = service.fetch(toCallback.href);
    await log.next(WRITE_FAILED);
    expect(await isAnswered(answer)).toBe(false);
    await log.next();
    expect(locationOf(await answer).href).toBe(failure("temporarily_unavailable"));
    log.isHolding = false;
    expect(await usersOf(service)).toEqual(before);
    expect(await service.store.find("states", state)).toBeUndefined();
  });

  it("leaves the state to the next callback if it fails", async () => {
    const { service, log, toCallback } = await heldCallback();
    const denied = toCallback.href.replace(/code=[^&]+/, "error=access_denied");
    const first = service.fetch(denied);
    await log.next(WRITE_FAILED);
    expect((await first).status).toBe(503);
    log.isHolding = false;
    expect(locationOf(await service.fetch(denied)).href).toBe(failure("access_denied"));
    await expectRefusedState(await service.fetch(denied));
  });

  it("comes after the provider was asked, and a crash before it leaves a state and no token", async () => {
    const path = join(temporaryDirectory(), "db.json");
    const store = await openFileStore(path, { warn: () => undefined });
    onTestFinished(() => store.close());
    const provider = new EventEmitter();
    const asked = once(provider, "asked");
    const fetch = async (): Promise<FetchResponse> => {
      provider.emit("asked");
      await once(provider, "answers");
      return new Response("{}", { status: 400 }) as FetchResponse;
    };
    const service = await setup({ store, credentials: CREDENTIALS, fetch });
    const state = await begun(service, "google");
    const back = `/oauth/google/callback?code=c&state=${state}`;
    const first = service.fetch(back);
    await asked;
    const foundAfter = async (): Promise<boolean> => {
      const after = await openFileStore(await abandoned(path), { warn: () => undefined });
      onTestFinished(() => after.close());
      return (await after.find("states", state)) !== undefined;
    };
    expect(await foundAfter()).toBe(true);
    // Whatever is written or put back meanwhile, here nobody else gets it.
    await store.snapshots.save("meanwhile", new Date().toISOString());
    await store.compact();
    await expectRefusedState(await service.fetch(back));
    await store.snapshots.restore("meanwhile");
    await expectRefusedState(await service.fetch(back));
    provider.emit("answers");
    expect(locationOf(await first).href).toBe(failure("server_error"));
    expect(await foundAfter()).toBe(false);
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

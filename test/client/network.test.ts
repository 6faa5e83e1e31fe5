import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { ConnectionError, createClient } from "../../src/client/index.ts";
import { caught, KEY, startServer } from "../_client.ts";
import { ADA } from "../_setup.ts";

describe("A client on the network", () => {
  const INSTANCE = (url: string): object => ({ id: "1", resource: "instance", data: { url } });
  const BOOTSTRAP = { secretKey: KEY, publishableKey: "pk_acme_0123", timeoutMs: 500 };

  it("reaches *.localhost at loopback, with that name in Host", async () => {
    const { port, seen } = await startServer((_, response) => void response.end("[]"));
    const { users } = createClient({ secretKey: KEY, baseUrl: `http://acme.localhost:${port}` });
    expect(await users.list()).toEqual([]);
    expect(seen.map(({ headers }) => headers.host)).toEqual([`acme.localhost:${port}`]);
  });

  it("reports the code connection and the address when nothing answers", async () => {
    const { origin, port, close } = await startServer(() => {});
    close();
    const error = await caught(createClient({ secretKey: KEY, baseUrl: origin }).users.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: "connection",
      message: `GET /api/v1/users: http://127.0.0.1:${port} could not be reached (ECONNREFUSED)`,
      cause: expect.any(Error) as Error,
    });
  });

  it("reports the code timeout when the service never answers, by the time of the client or of the call", async () => {
    const { origin } = await startServer(() => {});
    const error = await caught(createClient({ secretKey: KEY, baseUrl: origin, timeoutMs: 50 }).users.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "timeout", message: `GET /api/v1/users: ${origin} did not answer in time` });
    const patient = createClient({ secretKey: KEY, baseUrl: origin });
    await expect(patient.users.list({}, { timeoutMs: 50 })).rejects.toMatchObject({ code: "timeout" });
  });

  it.each<[when: string, answer: (response: ServerResponse, abort: () => void) => void]>([
    ["before the answer", (_, abort) => abort()],
    ["within the answer", (response, abort) => void response.write("[", abort)],
  ])("stops when an AbortSignal aborts %s, with the signal's reason", async (_, answer) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { origin } = await startServer((__, response) => answer(response, () => controller.abort(reason)));
    const { users } = createClient({ secretKey: KEY, baseUrl: origin });
    await expect(users.list({}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("sends nothing with an AbortSignal that has already aborted", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end("[]"));
    const { users } = createClient({ secretKey: KEY, baseUrl: origin });
    const reason = new Error("never mind");
    await expect(users.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(seen).toEqual([]);
  });

  it("listens once to an AbortSignal of many calls, ends them all, and no longer listens when they are over", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { origin, seen } = await startServer((request, response) => {
      if (request.url === "/api/v1/users") response.end("[]");
    });
    const { users, sessions } = createClient({ secretKey: KEY, baseUrl: origin });
    await Promise.all(Array.from({ length: 12 }, () => users.list({}, { signal })));
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const waiting = Array.from({ length: 12 }, () => caught(sessions.list({}, { signal })));
    await vi.waitFor(() => expect(seen).toHaveLength(24));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    const reason = new Error("not wanted any more");
    controller.abort(reason);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([reason]));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("stops when an AbortSignal aborts while it waits for the instance's address", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { origin } = await startServer(() => controller.abort(reason));
    const { users } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    await expect(users.list({}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("stops only the aborted one of several calls that wait for the instance's address", async () => {
    const controller = new AbortController();
    let answerFirst: (() => void) | undefined;
    const { origin, seen } = await startServer((_, response) => {
      const answer = (): void => void response.end(JSON.stringify(INSTANCE(origin)));
      if (seen.length > 1) return answer();
      answerFirst = answer;
      controller.abort();
    });
    const { users, baseUrl } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    const impatient = caught(users.get(ADA, { signal: controller.signal }));
    const patient = baseUrl();
    await impatient;
    answerFirst?.();
    expect(await patient).toBe(origin);
  });

  it("limits a whole call, not each of its requests, to the call's time limit", async () => {
    const { origin } = await startServer(() => {});
    const { users } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    const patient = caught(users.list());
    const hasty = caught(users.list({}, { timeoutMs: 20 }));
    expect(await Promise.race([patient, hasty])).toMatchObject({
      code: "timeout",
      message: "GET /api/v1/users: timed out while finding the instance's address",
    });
  });
});

import { type RequestListener, type ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { ConnectionError, createClient } from "../../src/client/index.ts";
import { caught, KEY, startServer } from "../_client.ts";
import { ADA } from "../_setup.ts";

describe("The network", () => {
  const INSTANCE = (url: string): object => ({ id: "1", resource: "instance", data: { url } });
  const BOOTSTRAP = { secretKey: KEY, publishableKey: "pk_acme_0123", timeoutMs: 500 };

  it("is reached at loopback for *.localhost, with that name in Host", async () => {
    const { port, seen } = await startServer((_, response) => void response.end("[]"));
    const { users } = createClient({ secretKey: KEY, baseUrl: `http://acme.localhost:${port}` });
    expect(await users.list()).toEqual([]);
    expect(seen.map(({ headers }) => headers.host)).toEqual([`acme.localhost:${port}`]);
  });

  it("that does not answer gives the code connection, and says where", async () => {
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

  it.each<[what: string, answer: RequestListener]>([
    ["never answers", () => {}],
    [
      "stops in the middle of a body",
      (_, response) => void response.writeHead(200, { "content-length": "100" }).write("["),
    ],
    [
      "sends a body that never ends",
      (_, response) => {
        const timer = setInterval(() => response.write(" "), 5);
        response.on("close", () => clearInterval(timer));
      },
    ],
  ])("that %s gives the code timeout", async (_, answer) => {
    const { origin } = await startServer(answer);
    const error = await caught(createClient({ secretKey: KEY, baseUrl: origin, timeoutMs: 50 }).users.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "timeout", message: `GET /api/v1/users: ${origin} did not answer in time` });
    const patient = createClient({ secretKey: KEY, baseUrl: origin });
    await expect(patient.users.list({}, { timeoutMs: 50 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("that breaks off in the middle of a body gives the code connection", async () => {
    const { origin } = await startServer((request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("[", () => request.socket.destroy());
    });
    await expect(createClient({ secretKey: KEY, baseUrl: origin }).users.list()).rejects.toMatchObject({
      code: "connection",
    });
  });

  it.each<[when: string, answer: (response: ServerResponse, abort: () => void) => void]>([
    ["before the answer", (_, abort) => abort()],
    ["within the answer", (response, abort) => void response.write("[", abort)],
  ])("is let go of by an AbortSignal %s, with the signal's own reason", async (_, answer) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { origin } = await startServer((__, response) => answer(response, () => controller.abort(reason)));
    const { users } = createClient({ secretKey: KEY, baseUrl: origin });
    await expect(users.list({}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("is not touched with an AbortSignal that has fired", async () => {
    const { origin, seen } = await startServer((_, response) => void response.end("[]"));
    const { users } = createClient({ secretKey: KEY, baseUrl: origin });
    const reason = new Error("never mind");
    await expect(users.list({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(seen).toEqual([]);
  });

  it("is let go of, too, while the instance's address is still awaited", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { origin } = await startServer(() => controller.abort(reason));
    const { users } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    await expect(users.list({}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("is let go of by one of several that await the instance's address, and not by the others", async () => {
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

  it("gets no more time for the whole of a call than the call has", async () => {
    const { origin } = await startServer(() => {});
    const { users } = createClient({ ...BOOTSTRAP, apiUrl: origin });
    const patient = caught(users.list()).then(() => "patient");
    const hasty = caught(users.list({}, { timeoutMs: 20 })).then(() => "hasty");
    expect(await Promise.race([patient, hasty])).toBe("hasty");
  });
});

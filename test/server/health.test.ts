import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { temporaryDirectory } from "../_files.ts";
import { APP } from "../_setup.ts";
import { ask as askAt } from "../_sockets.ts";

const LIVE = "/__svc/health/live";
const READY = "/__svc/health/ready";

async function start(store = "memory"): Promise<RunningServer> {
  const server = await serve({ port: 0, store });
  onTestFinished(() => server.close());
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/** A request by address with any Host: `fetch` would send its own. */
async function ask({ port }: RunningServer, path: string, host = "balancer.internal", method = "GET"): Promise<Answer> {
  const { body, ...told } = await askAt(port, { path, host, method });
  return { ...told, body: body === "" ? undefined : (JSON.parse(body) as unknown) };
}

/** A change, which tells how the store is: whoever only asks does not look. */
async function write({ url }: RunningServer): Promise<void> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP });
  await fetch(`${url}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
}

/** Asks until the answer cached for a second has expired. */
async function askUntil(server: RunningServer, status: number): Promise<Answer> {
  for (;;) {
    const answer = await ask(server, READY);
    if (answer.status === status) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it("The health check needs no key and answers for any Host", async () => {
  const server = await start();
  for (const path of [LIVE, READY]) {
    for (const host of ["balancer.internal", `localhost:${server.port}`, "10.0.0.7"]) {
      const { status, headers, body } = await ask(server, path, host);
      expect([status, body]).toEqual([200, { status: "ok" }]);
      expect(headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
    }
  }
  expect((await ask(server, LIVE, "x", "HEAD")).status).toBe(200);
  const refused = await ask(server, READY, "x", "POST");
  expect([refused.status, refused.headers["allow"]]).toEqual([405, "GET, HEAD"]);
  // No other route is served for that host.
  expect((await ask(server, "/__svc/health")).status).toBe(421);
});

it("The server is live but not ready while its store's directory is missing, and ready again afterwards", async () => {
  const place = temporaryDirectory();
  await mkdir(join(place, "store"));
  const server = await start(join(place, "store", "db.json"));
  await askUntil(server, 200);
  await rename(join(place, "store"), join(place, "elsewhere"));
  await write(server);
  const { headers, body } = await askUntil(server, 503);
  expect(body).toEqual({
    status: "unavailable",
    code: "store_missing",
    error: expect.stringContaining(`${join(place, "store", "db.json")} no longer exists`),
  });
  expect(headers["retry-after"]).toBe("1");
  expect((await ask(server, LIVE)).status).toBe(200);
  await rename(join(place, "elsewhere"), join(place, "store"));
  await askUntil(server, 200);
});

it("Only a caller on this machine, and behind no proxy, is told why the server is not ready", async () => {
  const place = temporaryDirectory();
  await mkdir(join(place, "store"));
  const server = await start(join(place, "store", "db.json"));
  await rename(join(place, "store"), join(place, "elsewhere"));
  await write(server);
  await askUntil(server, 503);
  const told = async (headers: Record<string, string>): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${server.port}${READY}`, { headers })).json();
  expect(await told({})).toMatchObject({ code: "store_missing", error: expect.stringContaining(place) as string });
  for (const header of [{ "x-forwarded-for": "203.0.113.7" }, { "x-forwarded-for": "unknown" }, { forwarded: "for=x" }])
    expect(await told(header)).toEqual({ status: "unavailable", code: "store_missing" });
  await rename(join(place, "elsewhere"), join(place, "store"));
});

it("The server is not ready when another process has written its store", async () => {
  const place = temporaryDirectory();
  const server = await start(join(place, "db.json"));
  await writeFile(join(place, "new"), "{}");
  await rename(join(place, "new"), join(place, "db.json"));
  await write(server);
  expect((await askUntil(server, 503)).body).toMatchObject({ code: "store_changed" });
  expect((await ask(server, LIVE)).status).toBe(200);
});

it("The server is not ready once it is told to stop, and answers requests while it drains", async () => {
  const server = await start();
  const closed = server.close({ drainMs: 1_000 });
  const answer = await ask(server, READY);
  expect(answer.status).toBe(503);
  expect(answer.body).toEqual({
    status: "unavailable",
    code: "shutting_down",
    error: "The server is shutting down.",
  });
  expect(answer.headers["connection"]).toBe("close");
  const begun = await ask(
    server,
    `/oauth/authorize?provider=google&redirect_uri=${encodeURIComponent(APP)}`,
    `localhost:${server.port}`,
  ).catch((error: unknown) => error);
  expect(begun).toMatchObject({ status: 302, headers: { connection: "close" } });
  await closed;
  await expect(ask(server, LIVE)).rejects.toThrow("ECONNREFUSED");
});

it("Every response has a unique id, including refusals", async () => {
  const server = await start();
  const answers = [
    await ask(server, LIVE),
    await ask(server, "/nowhere", `localhost:${server.port}`),
    await ask(server, "/", "unknown.example"),
    await ask(server, "/api/v1/users", `localhost:${server.port}`),
    await ask(server, "http://elsewhere.example/", `localhost:${server.port}`),
  ];
  const ids = answers.map(({ headers }) => headers["request-id"]);
  expect(ids.every((id) => /^[0-9a-f-]{36}$/.test(String(id)))).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

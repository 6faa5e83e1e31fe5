import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serve, type RequestEntry, type RunningServer, type ServeOptions } from "../../src/server/index.ts";
import { temporaryDirectory } from "../_files.ts";
import { seedFile } from "../_seed-file.ts";
import { APP } from "../_setup.ts";
import { ask } from "../_sockets.ts";

interface Started {
  readonly server: RunningServer;
  readonly entries: RequestEntry[];
  readonly warnings: string[];
  readonly directory: string;
}

async function start(options: ServeOptions = {}): Promise<Started> {
  const directory = temporaryDirectory();
  const entries: RequestEntry[] = [];
  const warnings: string[] = [];
  const server = await serve({
    port: 0,
    store: join(directory, "db.json"),
    seed: seedFile(),
    onRequest: (entry) => entries.push(entry),
    warn: (message) => warnings.push(message),
    ...options,
  });
  onTestFinished(() => server.close());
  return { server, entries, warnings, directory };
}

/** @returns the responses of a sign-in, until one leaves the server */
async function signIn({ url, port }: RunningServer, more: Record<string, string>): Promise<Response[]> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP, ...more });
  const answers: Response[] = [];
  for (let next = `${url}/oauth/authorize?${query.toString()}`; new URL(next).port === String(port);) {
    const answer = await fetch(next, { redirect: "manual", headers: { "user-agent": "test" } });
    answers.push(answer);
    next = answer.headers.get("location") ?? APP;
  }
  return answers;
}

it("The metrics count requests, sign-ins, writes and the event loop's delay for Prometheus", async () => {
  const { server } = await start({ metrics: true });
  const commits = async (): Promise<number> => {
    const text = await (await fetch(`${server.url}/__svc/metrics`)).text();
    return Number(/^svc_store_commit_duration_seconds_count (\d+)$/m.exec(text)![1]);
  };
  const before = await commits();
  await signIn(server, { login_hint: "ada@acme.test" });
  await fetch(`${server.url}/nowhere`);
  const answer = await fetch(`http://127.0.0.1:${server.port}/__svc/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  for (const line of [
    'svc_http_requests_total{method="GET",route="/oauth/authorize",status="302"} 1',
    'svc_http_requests_total{method="GET",route="none",status="404"} 1',
    'svc_http_request_duration_seconds_count{method="GET",route="/oauth/:provider/callback"} 1',
    'svc_sign_ins_total{provider="google",outcome="success"} 1',
  ])
    expect(text.split("\n")).toContain(line);
  // A state saved, and its removal together with the user.
  expect((await commits()) - before).toBe(2);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds \d/m);
  expect(text).not.toMatch(/sk_|pk_|token=/);
});

it("T25: The metrics are answered for any host, without a key, and hold no data of a user", async () => {
  const { server } = await start({ metrics: true });
  await signIn(server, { login_hint: "ada@acme.test" });
  const { status, body } = await ask(server.port, { path: "/__svc/metrics", host: "10.1.2.3:9090" });
  expect([status, body.includes("svc_sign_ins_total")]).toEqual([200, true]);
  expect(body).not.toMatch(/ada|acme|127\.0\.0\.1|localhost/i);
});

it("The server has no metrics unless they are enabled", async () => {
  const { server } = await start();
  expect((await fetch(`${server.url}/__svc/metrics`)).status).toBe(404);
});

it("The log has each request with its id, level, flow and reason of failure", async () => {
  const { server, entries } = await start();
  const answers = await signIn(server, { login_hint: "ada@acme.test" });
  await fetch(`${server.url}/api/v1/users`);
  await fetch(`${server.url}/__svc/health/live`);
  const [begin, picked, callback, refused, probe] = entries;
  expect(entries.map(({ request_id }) => request_id).slice(0, 3)).toEqual(
    answers.map(({ headers }) => headers.get("request-id")),
  );
  expect(begin).toMatchObject({ level: "debug", status: 302, sign_in: null, refused: null, reason: null });
  expect(begin!.flow_id).toMatch(/^[0-9a-f]{16}$/);
  expect(picked!.route).toBe("/__svc/simulator/:provider/authorize");
  expect(callback).toMatchObject({
    flow_id: begin!.flow_id,
    sign_in: { provider: "google", outcome: "success" },
  });
  expect(refused).toMatchObject({ level: "info", status: 401, reason: "Unauthorized", flow_id: null });
  expect(probe).toMatchObject({ level: "debug", route: "/__svc/health/live" });
});

it("A sign-in in which nothing fails is one line of the log", async () => {
  const { server, entries } = await start();
  await signIn(server, { login_hint: "ada@acme.test" });
  expect(entries.length).toBeGreaterThan(1);
  const [line, ...more] = entries.filter(({ level }) => level !== "debug");
  expect(line).toMatchObject({ level: "info", sign_in: { provider: "google", outcome: "success" } });
  expect(more).toEqual([]);
  expect(JSON.stringify(line).length).toBeLessThan(500);
});

it("A callback without an open sign-in, and a secret key that is not valid, are warnings and are counted", async () => {
  const { server, entries } = await start({ metrics: true });
  const [instance, other] = server.instances;
  const withKey = (key: string): Promise<Response> =>
    fetch(`${server.url}/api/v1/users`, { headers: { "x-service-secret-key": key } });
  await fetch(`${server.url}/oauth/google/callback?code=x&state=${"0".repeat(64)}`);
  expect(entries.at(-1)).toMatchObject({ level: "warn", status: 400, refused: "invalid_state" });
  await withKey("sk_acme_of_no_instance_0123456789abcdefghij");
  expect(entries.at(-1)).toMatchObject({ level: "warn", status: 401, refused: "unknown_key" });
  const rotate = `${server.url}/__svc/v1/instances/${instance!.id}/keys/rotate`;
  const headers = { authorization: `Bearer ${server.control_key!}` };
  expect((await fetch(rotate, { method: "POST", headers })).status).toBe(200);
  expect((await withKey(instance!.secret_key)).status).toBe(401);
  expect(entries.at(-1)).toMatchObject({
    level: "warn",
    refused: "replaced_key",
    reason: "Unauthorized: this secret key was replaced; give the application the current one",
  });
  // Not every system knows the names below localhost.
  const host = `${instance!.subdomain}.localhost:${server.port}`;
  const asked = { host: "127.0.0.1", port: server.port, path: "/api/v1/users", agent: false };
  const elsewhere = get({ ...asked, headers: { host, "x-service-secret-key": other!.secret_key } });
  const [answer] = (await once(elsewhere, "response")) as [IncomingMessage];
  answer.resume();
  expect(entries.at(-1)).toMatchObject({ level: "warn", refused: "other_instance" });
  // A stranger is none of these.
  await withKey("guess");
  await fetch(`${server.url}/api/v1/users`);
  expect(entries.slice(-2)).toMatchObject([
    { level: "info", refused: null },
    { level: "info", refused: null },
  ]);
  const text = await (await fetch(`${server.url}/__svc/metrics`)).text();
  for (const reason of ["invalid_state", "unknown_key", "replaced_key", "other_instance"])
    expect(text).toContain(`svc_requests_refused_total{reason="${reason}"} 1`);
});

it("The requests of balancers and of Prometheus are not counted", async () => {
  const { server } = await start({ metrics: true });
  const paths = ["/__svc/health/live", "/__svc/health/ready", "/__svc/metrics"];
  for (const path of paths) await fetch(`${server.url}${path}`);
  const text = await (await fetch(`${server.url}/__svc/metrics`)).text();
  expect(text).toContain('svc_ready{code="ok"} 1');
  expect(text).not.toMatch(/svc_http_requests_total\{|route="\/__svc\/(health|metrics)/);
});

it("The log has a failed sign-in as a warning with its reason", async () => {
  const { server, entries } = await start();
  const [begun] = await signIn(server, { login_hint: "nobody@else.test" });
  const state = new URL(begun!.headers.get("location")!).searchParams.get("state")!;
  const query = new URLSearchParams({ state, error: "access_denied" });
  await fetch(`${server.url}/oauth/google/callback?${query.toString()}`, { redirect: "manual" });
  expect(entries.at(-1)).toMatchObject({
    level: "warn",
    status: 302,
    sign_in: { provider: "google", outcome: "access_denied" },
    reason: expect.stringMatching(/^access_denied: /),
  });
});

it("The server logs once why the store cannot be written, and answers 503", async () => {
  const { server, entries, warnings, directory } = await start();
  // Replaces its journal by another file.
  await writeFile(join(directory, "new"), "");
  const { rename } = await import("node:fs/promises");
  await rename(join(directory, "new"), join(directory, "db.journal"));
  for (let i = 0; i < 3; i++) {
    const [answer] = await signIn(server, {});
    expect(answer!.status).toBe(503);
    expect(answer!.headers.get("retry-after")).toBe("1");
    expect(await answer!.json()).toEqual({ error: "Storage unavailable" });
  }
  expect(entries.at(-1)).toMatchObject({
    level: "error",
    status: 503,
    reason: expect.stringMatching(/^Storage unavailable: .*db\.journal was changed by another process/),
  });
  expect(warnings).toEqual([expect.stringMatching(/is unavailable: .*db\.journal was changed.*get 503/)]);
});

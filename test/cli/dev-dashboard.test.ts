import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { server, svc, useDevServer } from "../_dev-server.ts";
import { heldIntervals } from "../_held-intervals.ts";

useDevServer();

const LINK = /http:\/\/localhost:\d+\/__svc\/#code=([^"\s]+)/;

/** Redeems a link like the dashboard. @returns the status */
async function redeem(code: string): Promise<number> {
  return (await answerTo(code)).status;
}

async function answerTo(code: string): Promise<Response> {
  const response = await fetch(`${server.url}/__svc/v1/dashboard-keys`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  return response;
}

/** A key of a browser that has opened the dashboard. */
async function signIn(): Promise<{ authorization: string }> {
  const { stdout } = await svc("open dashboard --print");
  const { key } = (await (await answerTo(LINK.exec(stdout)![1]!)).json()) as { key: string };
  return { authorization: `Bearer ${key}` };
}

async function stateFor(headers: { authorization: string }): Promise<number> {
  return (await fetch(`${server.url}/__svc/v1/state`, { headers })).status;
}

it("svc open dashboard opens a private file that redirects there, and passes no code to the browser", async () => {
  let opened = "";
  const env = { SVC_BROWSER: "browser", SVC_CONFIG_DIR: join(temporaryDirectory(), "svc") };
  const openBrowser = async (url: string): Promise<void> => void (opened = url);
  const open = () => svc("open dashboard", { env, openBrowser });
  const done = { code: 0, stdout: "", stderr: `Opened ${server.url}/__svc/\n` };
  expect(await open()).toMatchObject(done);
  expect(opened).toMatch(/^file:\/\/\/.*\.html$/);
  const path = fileURLToPath(opened);
  expect([(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777]).toEqual([0o600, 0o700]);
  const page = await readFile(path, "utf8");
  const [, secret = ""] = LINK.exec(page) ?? [];
  expect(page).toContain('http-equiv="refresh"');
  expect([await redeem(secret), await redeem(secret)]).toEqual([201, 401]);
  // The next one takes its place: nothing is left behind.
  expect(await open()).toMatchObject(done);
  expect([await readdir(dirname(path)), (await readFile(path, "utf8")).includes(secret)]).toEqual([
    [path.slice(dirname(path).length + 1)],
    false,
  ]);
});

it("svc open dashboard without a desktop prints the link on a terminal and not into a log", async () => {
  const shown = await svc("open dashboard", { tty: true });
  expect([shown.code, shown.stdout]).toEqual([0, ""]);
  expect(await redeem(LINK.exec(shown.stderr)![1]!)).toBe(201);
  const logged = await svc("open dashboard");
  expect([logged.code, logged.stderr]).toEqual([1, expect.stringContaining("svc open dashboard --print")]);
  expect(logged.stderr + logged.stdout).not.toMatch(LINK);
});

it("svc open dashboard --print prints only the link", async () => {
  const { stdout } = await svc("open dashboard --print");
  expect(await redeem(LINK.exec(stdout)![1]!)).toBe(201);
  const json = await svc("open dashboard --print --json");
  expect(JSON.parse(json.stdout)).toEqual({ url: expect.stringMatching(LINK) as string });
});

it("T49: svc open dashboard --revoke signs every browser out, and ends links that were not used", async () => {
  const browsers = [await signIn(), await signIn()];
  const unused = LINK.exec((await svc("open dashboard --print")).stdout)![1]!;
  for (const browser of browsers) expect(await stateFor(browser)).toBe(200);
  expect(await svc("open dashboard --revoke")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Revoked every key and link of the dashboard"),
  });
  for (const browser of browsers) expect(await stateFor(browser)).toBe(401);
  expect(await redeem(unused)).toBe(401);
  // The control key still counts, and so do links from now on.
  expect(await stateFor(await signIn())).toBe(200);
  expect(JSON.parse((await svc("open dashboard --revoke --json")).stdout)).toEqual({ revoked: true });
});

it("svc open dashboard --revoke ends what an open dashboard is sent, within ten seconds", async () => {
  const headers = await signIn();
  const looks = heldIntervals(10_000);
  const events = async (authorization: string): Promise<ReadableStreamDefaultReader<Uint8Array>> =>
    (await fetch(`${server.url}/__svc/v1/events`, { headers: { authorization } })).body!.getReader();
  const [revoked, kept] = [await events(headers.authorization), await events(`Bearer ${server.control_key!}`)];
  await svc("open dashboard --revoke");
  expect(looks()).toHaveLength(2);
  for (const look of looks()) look();
  for (let isOver = false; !isOver;) isOver = (await revoked.read()).done;
  expect((await kept.read()).done).toBe(false);
  await kept.cancel();
});

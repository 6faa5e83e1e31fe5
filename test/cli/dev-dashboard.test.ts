import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { server, svc, useDevServer } from "../_dev-server.ts";

useDevServer();

const LINK = /http:\/\/localhost:\d+\/__svc\/#code=([^"\s]+)/;

/** Redeems a link like the dashboard. @returns the status */
async function redeem(code: string): Promise<number> {
  const response = await fetch(`${server.url}/__svc/v1/dashboard-keys`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  return response.status;
}

it("svc open dashboard opens a private file that redirects there, and passes no code to the browser", async () => {
  let opened = "";
  const { code, stdout, stderr } = await svc("open dashboard", {
    env: { SVC_BROWSER: "browser" },
    openBrowser: async (url) => void (opened = url),
  });
  expect([code, stdout, stderr]).toEqual([0, "", `Opened ${server.url}/__svc/\n`]);
  expect(opened).toMatch(/^file:\/\/\/.*\.html$/);
  const path = fileURLToPath(opened);
  expect([(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777]).toEqual([0o600, 0o700]);
  const page = await readFile(path, "utf8");
  const [, secret = ""] = LINK.exec(page) ?? [];
  expect(page).toContain('http-equiv="refresh"');
  expect([await redeem(secret), await redeem(secret)]).toEqual([201, 401]);
  await rm(dirname(path), { recursive: true });
});

it("svc open dashboard removes the files that it left before", async () => {
  const left = async (minutes: number): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), "svc-dashboard-"));
    await writeFile(join(directory, "open.html"), "");
    const time = Date.now() / 1000 - minutes * 60;
    await utimes(directory, time, time);
    return directory;
  };
  const [old, recent] = [await left(11), await left(9)];
  let opened = "";
  await svc("open dashboard", { env: { SVC_BROWSER: "browser" }, openBrowser: async (url) => void (opened = url) });
  await expect(stat(old)).rejects.toMatchObject({ code: "ENOENT" });
  for (const directory of [recent, dirname(fileURLToPath(opened))])
    expect((await stat(directory)).isDirectory()).toBe(true);
  for (const directory of [recent, dirname(fileURLToPath(opened))]) await rm(directory, { recursive: true });
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

import { readdir, readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { needs } from "../_machine.ts";
import { BIN } from "../_paths.ts";
import { openTerminal, type Terminal } from "../_pty.ts";
import { portOf } from "../_port-of.ts";

const KEY = "sk_typed_0123456789abcdefghijklmnopqrstuvwxyz";
const CTRL_C = "\u0003";
const CTRL_T = "\u0014";
const ENTER = "\r";

let home: string;
const open: Terminal[] = [];
beforeEach(async () => {
  home = temporaryDirectory();
});
afterEach(async () => {
  for (const terminal of open.splice(0)) terminal.end();
});

/** The command on a terminal, without this process's environment. */
function start(args: string, env: Record<string, string> = {}, before = ""): Terminal {
  const own = { HOME: home, NO_COLOR: "1", NODE_DISABLE_COMPILE_CACHE: "1" };
  const terminal = openTerminal(`${before}'${process.execPath}' '${BIN}' ${args}`, home, { ...own, ...env });
  open.push(terminal);
  return terminal;
}

/** A service that accepts one key and records the requests. */
async function startService(): Promise<{ url: string; keys: unknown[] }> {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    const key = request.headers["x-service-secret-key"];
    keys.push(key);
    const [status, answer] = key === KEY ? [200, []] : [401, { error: "Unauthorized" }];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  return { url: `http://127.0.0.1:${await portOf(server)}`, keys };
}

describe("On a terminal", needs("a terminal"), () => {
  it("svc names a slow service after a second and clears the line when it answers", async () => {
    const held: ServerResponse[] = [];
    const host = `127.0.0.1:${await portOf(createServer((_, response) => void held.push(response)))}`;
    const terminal = start("users list", { SVC_BASE_URL: `http://${host}`, SVC_SECRET_KEY: KEY, SVC_TIMEOUT: "600" });
    const seconds = (): number[] =>
      [...terminal.shown().matchAll(/Waiting for \S+ \((\d+) s\)/g)].map(([, count]) => Number(count));
    await terminal.until(/Waiting for \S+ \(\d+ s\)/);
    const first = seconds()[0]!;
    expect(first).toBeGreaterThan(0);
    while (seconds().at(-1) === first) await terminal.until(/ s\)/, terminal.shown().length);
    expect(terminal.shown()).toContain(`Waiting for ${host} (${first} s)`);
    const user = { email: "ada@acme.test", name: "Ada Ünlü", avatar_url: null, providers: [], email_verified: true };
    const data = { ...user, created_at: "2026-01-05T09:00:00.000Z" };
    for (const response of held)
      response.setHeader("content-type", "application/json").end(JSON.stringify([{ id: "1", resource: "user", data }]));
    expect(await terminal.code).toBe(0);
    const after = terminal.shown().split("\r\u001b[K").at(-1);
    expect(after).not.toContain("Waiting");
    // A terminal without size and locale, as in containers.
    expect(after).toMatch(/ID +EMAIL +NAME +PROVIDERS.*ada@acme\.test +Ada Ünlü/s);
  });

  it("svc login does not show the key that is typed", async () => {
    const { url, keys } = await startService();
    const terminal = start(`login --base-url ${url}`, { SVC_KEYRING: "off" });
    await terminal.until(/Secret key for .*hidden/);
    for (const character of KEY) terminal.type(character);
    terminal.type(CTRL_T + ENTER);
    expect([await terminal.code, keys]).toEqual([0, [KEY]]);
    expect(terminal.shown()).toContain("Logged in to");
    expect(terminal.shown()).not.toMatch(/masked|visibility/);
    for (let i = 0; i + 4 <= KEY.length; i++) expect(terminal.shown()).not.toContain(KEY.slice(i, i + 4));
    expect(await readFile(join(home, ".config/svc/profiles/default.json"), "utf8")).toContain(KEY);
  });

  it("svc login stores nothing after Ctrl-C and exits with 130", async () => {
    const { url, keys } = await startService();
    const terminal = start(`login --base-url ${url}`, { SVC_KEYRING: "off" });
    await terminal.until(/Secret key for/);
    terminal.type(`sk_half${CTRL_C}`);
    expect([await terminal.code, keys, await readdir(home)]).toEqual([130, [], []]);
    expect(terminal.shown()).not.toContain("sk_half");
  });

  it("svc login asks before it stores a key in a file, and the default is no", async () => {
    const { url } = await startService();
    const terminal = start(`login --base-url ${url}`, { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" });
    await terminal.until(/Secret key for/);
    terminal.type(KEY + ENTER);
    await terminal.until(/No keyring is available\. Store the key unencrypted/);
    terminal.type(`n${ENTER}`);
    expect([await terminal.code, await readdir(home)]).toEqual([1, []]);
  });

  it.each(["login --base-url https://acme.svc.test"])("svc %s asks no question in CI", async (args) => {
    const terminal = start(args, { CI: "1" });
    expect([await terminal.code, await readdir(home)]).toEqual([2, []]);
  });
});

// Below the faces: the log of a server, line by line, for texts that no request can carry.

import { join } from "node:path";
import { expect, it } from "vitest";
import { textReport, jsonReport } from "../../src/cli/commands/serve/report.ts";
import type { RequestEntry } from "../../src/server/http/request-entry.ts";
import type { SeedInput } from "../../src/server/seed/apply.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { createContext, runCli } from "../_cli.ts";
import { startServer } from "../_control.ts";
import { temporaryDirectory } from "../_files.ts";
import { SEED, setup } from "../_setup.ts";

const KEY = SEED.instances[0]!.secret_key;

/** A title, a color, and text from right to left. */
const HOSTILE = "\u001b]0;P\u0007\u009b31m\u202e";
// eslint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

/** What svc itself shows and takes away while it waits for more than a second. */
// eslint-disable-next-line no-control-regex
const WAITING = /\r\u001b\[K(?:[\u2800-\u28ff] Waiting for [\w.:]+ \(\d+ s\))?/g;

/** Its text with something hostile behind each value of each answer, except for those by which svc looks for a user. */
function hostile(value: unknown, kept: readonly string[]): unknown {
  if (typeof value === "string") return value + HOSTILE;
  if (Array.isArray(value)) return value.map((part) => hostile(part, kept));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, kept.includes(name) ? part : hostile(part, kept)]),
  );
}

const hostileService: Fetch = async (url, init) => {
  const kept = new URL(url).searchParams.has("query") ? ["resource", "id"] : ["resource"];
  const response = await fetch(url, init as RequestInit);
  const text = JSON.stringify(hostile(await response.json(), kept));
  return { status: response.status, headers: response.headers, body: [Buffer.from(text)], text: async () => text };
};

/** A service that signs everybody in with that token, and finds it valid. */
function signingIn(token: string): Fetch {
  return async (url) => {
    const back = new URL(url).searchParams.get("redirect_uri");
    const location = `${back}?${new URLSearchParams({ token }).toString()}`;
    const isStart = back !== null;
    const isSearch = url.includes("/users/search");
    const text = JSON.stringify(isSearch ? [] : { id: "x", resource: "token", data: { valid: true } });
    const headers = new Headers(isStart ? { location } : {});
    return { status: isStart ? 302 : 200, headers, body: [Buffer.from(text)], text: async () => text };
  };
}

it.each([
  ["open dashboard"],
  ["open dashboard --print"],
  ["dev token --user ada@acme.test"],
  ["dev token --user ada@acme.test --kind expired"],
  ["dev token --user ada@acme.test --json"],
  ["dev instances list"],
  ["dev instances delete acme"],
  ["dev reset --instance acme"],
  ["users list --limit 1"],
  ["users delete 00000000-0000-4000-8000-0000000000a1"],
])("T38: A service cannot control the terminal of svc %s", async (line) => {
  const server = await startServer({ seed: SEED as SeedInput });
  const asked: string[] = [];
  const { stdout, stderr } = await runCli(line.split(" "), {
    tty: true,
    fetch: hostileService,
    env: {
      // Without color, which is commands to the terminal as well. A terminal without them is asked nothing.
      NO_COLOR: "1",
      // A control API that does not know a key that is set is not asked.
      ...(line.startsWith("users") && { SVC_BASE_URL: server.url, SVC_SECRET_KEY: KEY }),
      SVC_CONTROL_URL: server.url,
      SVC_CONTROL_KEY: server.control_key,
    },
    confirm: (question) => !asked.push(question),
  });
  const shown = (stdout + stderr + asked.join("")).replaceAll(WAITING, "");
  expect(shown).toMatch(/\\u(?:\{1b\}|001b)/);
  expect(shown).not.toMatch(OBEYED);
});

it("T38: A service cannot control the terminal by what should be a number or a time", async () => {
  const server = await startServer({ seed: SEED as SeedInput });
  await server.control("POST /sign-ins", { provider: "google", as: "ada" });
  const reviver = (name: string, value: unknown): unknown =>
    name === "at" ? `2026-06-01T${HOSTILE}` : name === "status" || name === "ms" ? HOSTILE : value;
  const env = { TERM: "dumb", SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key };
  const { stdout } = await runCli(["logs", "--all"], {
    tty: true,
    env,
    fetch: async (url, init) => {
      const response = await fetch(url, init as RequestInit);
      const text = JSON.stringify(JSON.parse(await response.text(), reviver));
      return { status: 200, headers: response.headers, body: [Buffer.from(text)], text: async () => text };
    },
  });
  expect(stdout).toContain("/__svc/v1/sign-ins");
  expect(stdout).not.toMatch(OBEYED);
});

it("T38: A service cannot control the terminal by a token", async () => {
  const part = Buffer.from("{}").toString("base64url");
  const env = { SVC_BASE_URL: "http://localhost:1", SVC_SECRET_KEY: KEY };
  const fetch = signingIn(`${part}.${part}.${HOSTILE}`);
  const { code, stdout } = await runCli(["sign-in", "--as", "ada", "--token"], { tty: true, env, fetch });
  expect([code, stdout]).toEqual([0, `${part}.${part}.\\u{1b}]0;P\\u{7}\\u{9b}31m\\u{202e}\n`]);
});

it("T38: A name in a store cannot control the terminal of svc store export", async () => {
  const store = join(temporaryDirectory(), "db.json");
  const [acme] = SEED.instances;
  const seed = { ...SEED, instances: [{ ...acme, name: `Acme${HOSTILE}` }] } as SeedInput;
  await (await startServer({ store, seed })).close();
  const { code, stdout } = await runCli(["store", "export", "--store", store], { tty: true });
  expect([code, stdout]).toEqual([0, expect.stringContaining("\\u{9b}31m\\u{202e}")]);
  expect(stdout).not.toMatch(OBEYED);
  const piped = await runCli(["store", "export", "--store", store]);
  expect(piped.stdout).toContain("\u009b31m\u202e");
});

it("T38: A store that came with a repository cannot control the terminal of svc serve", () => {
  const entry = { level: "info", method: "GET", route: "/", path: null, status: 200, ms: 1, reason: null };
  for (const reportTo of [textReport, jsonReport]) {
    const context = createContext({ env: { NO_COLOR: "1" } });
    reportTo(context).request({ ...entry, instance: `a${HOSTILE}` } as RequestEntry);
    expect(context.written.stdout).toContain("31m");
    expect(context.written.stdout).not.toMatch(OBEYED);
  }
});

it.each([
  ["refuses the sign-in", 400, {}],
  ["ends it with an error", 302, { error: "no\n✓ Signed in" }],
])("T38: A service that %s adds no line to what svc sign-in says", async (_, status, ended) => {
  const text = JSON.stringify({ error: "no\n✓ Signed in" });
  const { code, stderr } = await runCli(["sign-in", "--as", "ada"], {
    env: { SVC_BASE_URL: "http://localhost:1", SVC_SECRET_KEY: KEY },
    async fetch(url) {
      const back = new URL(url).searchParams.get("redirect_uri");
      const location = `${back}?${new URLSearchParams(ended).toString()}`;
      const headers = new Headers(back !== null && status === 302 ? { location } : {});
      const said = back === null ? "[]" : text;
      return { status: back === null ? 200 : status, headers, body: [Buffer.from(said)], text: async () => said };
    },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("no ↵ ✓ Signed in.\n")]);
});

it.each([
  [["users", "search", "email=`id`@evil.test"], "Did you mean 'email:`id`@evil.test'?"],
  [["users", "export", "$(id)@evil.test"], "svc users get '$(id)@evil.test' --all"],
  [["users", "search", "ip_address:x'$(id)'"], String.raw`svc sessions search 'ip_address:x'\''$(id)'\'''`],
])("T51: A hint runs nothing of what a stranger is called: svc %j", async (argv, hint) => {
  const { stderr } = await runCli(argv, { service: await setup() });
  expect(stderr).toContain(hint);
});

it("T51: A hint runs nothing of what a service answers", async () => {
  const row = (id: string): object => ({ id, resource: "user", data: { email: "a@b.test", providers: [] } });
  const text = JSON.stringify([row("$(id)"), row("x")]);
  const { stderr } = await runCli(["users", "list", "--limit", "1"], {
    tty: true,
    env: { SVC_BASE_URL: "http://localhost:1", SVC_SECRET_KEY: KEY },
    fetch: async () => ({ status: 200, headers: new Headers(), body: [Buffer.from(text)], text: async () => text }),
  });
  expect(stderr).not.toContain("$(id)");
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { createApp as createExpress } from "../../examples/express/server.js";
import { createApp as createHono } from "../../examples/hono/app.js";
import { GET as nextCallback } from "../../examples/next/app/callback/route.ts";
import { GET as me } from "../../examples/next/app/me/route.ts";
import { GET as signIn } from "../../examples/next/app/sign-in/route.ts";
import { POST as signOut } from "../../examples/next/app/sign-out/route.ts";
import { messageOf } from "../../examples/next/lib/failures.ts";
import { temporaryDirectory } from "../_files.ts";
import { freePort } from "../_free-port.ts";
import { needs } from "../_machine.ts";
import { BIN, ROOT } from "../_paths.ts";

let service: RunningServer;
let secretKey: string;
let baseUrl: string;

beforeAll(async () => {
  service = await serve({ port: 0, store: "memory" });
  secretKey = service.instances[0]!.secret_key;
  baseUrl = service.url;
});
afterAll(() => service.close());

/** Serves a `fetch` handler on its own port. */
async function listening(makeHandler: (origin: string) => Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer((request, response) => handler!(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const handler = makeHandler(origin);
  return origin;
}

/** A browser as far as redirects and cookies go. */
class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Begins a sign-in and leaves it at the first redirect. */
  async begin(address: string): Promise<void> {
    await expect(this.get(address, 1)).rejects.toThrow("too many redirects");
  }

  async get(address: string, most = 12): Promise<{ url: URL; status: number; text: string }> {
    let url = new URL(address);
    for (let hops = 0; hops < most; hops++) {
      const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
      this.#cookies.set(url.host, jar);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, { redirect: "manual", headers: cookie === "" ? {} : { cookie } });
      for (const set of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
        if (/max-age=0|1970/i.test(set)) jar.delete(name!);
        else jar.set(name!, value!);
      }
      const location = response.headers.get("location");
      if (location === null) return { url, status: response.status, text: await response.text() };
      url = new URL(location, url);
      // The one thing a person does: choose who to be.
      if (url.pathname.endsWith("/authorize")) url.searchParams.set("login_hint", "ada@acme.test");
    }
    throw new Error("too many redirects");
  }

  cookies(origin: string): Map<string, string> {
    return this.#cookies.get(new URL(origin).host) ?? new Map();
  }
}

/** A sign-in that a browser has open: the callback's address with its nonce, and the browser's cookie. */
async function begun(origin: string): Promise<{ callback: string; headers: Record<string, string> }> {
  const response = await fetch(`${origin}/sign-in`, { redirect: "manual" });
  const callback = new URL(response.headers.get("location")!).searchParams.get("redirect_uri")!;
  return { callback, headers: { cookie: response.headers.getSetCookie()[0]!.split(";")[0]! } };
}

async function nonceOf(origin: string): Promise<string> {
  return new URL((await begun(origin)).callback).searchParams.get("nonce")!;
}

const nextRoutes: Record<string, (request: Request) => Promise<Response>> = {
  "/sign-in": signIn,
  "/callback": nextCallback,
  "/me": me,
  "/sign-out": signOut,
  // In place of the page, which Next.js renders.
  "/": async (request) => new Response(messageOf(new URL(request.url).searchParams.get("error") ?? "")),
};

/** Starts an application. @param scheme of the address at which it believes to be, as behind a proxy that ends https */
type Start = (scheme?: "https:") => Promise<string>;

const applications: Record<string, Start> = {
  Express: (scheme) =>
    listening((origin) => createExpress({ secretKey, baseUrl, origin: origin.replace("http:", scheme ?? "http:") })),
  "Next.js": (scheme) => {
    process.env["SVC_SECRET_KEY"] = secretKey;
    process.env["SVC_BASE_URL"] = baseUrl;
    return listening((origin) => {
      process.env["APP_ORIGIN"] = origin.replace("http:", scheme ?? "http:");
      const listener = getRequestListener((request) => nextRoutes[new URL(request.url).pathname]!(request), {
        overrideGlobalObjects: false,
      });
      return (request, response) => void listener(request, response);
    });
  },
};

describe.each(Object.entries(applications))("The example application on %s", (_, start) => {
  it("signs a user in and keeps the token out of the address and away from scripts", async () => {
    const origin = await start();
    const browser = new Browser();
    expect((await browser.get(`${origin}/me`)).status).toBe(401);
    const { url, status } = await browser.get(`${origin}/sign-in`);
    expect({ status, query: url.search, origin: url.origin }).toEqual({ status: 200, query: "", origin });
    expect(JSON.parse((await browser.get(`${origin}/me`)).text)).toMatchObject({
      name: "Ada Lovelace",
      email: "ada@acme.test",
    });
    expect([...browser.cookies(origin).keys()]).toEqual(["token"]);
  });

  it("over https keeps the token in a cookie that no other host of the domain can set", async () => {
    const origin = await start("https:");
    const { callback, headers } = await begun(origin);
    const query = { provider: "google", login_hint: "ada@acme.test", redirect_uri: callback };
    let location = `${baseUrl}/oauth/authorize?${new URLSearchParams(query).toString()}`;
    while (!location.startsWith(callback))
      location = (await fetch(location, { redirect: "manual" })).headers.get("location")!;
    const finished = await fetch(location.replace("https:", "http:"), { headers, redirect: "manual" });
    const cookies = finished.headers.getSetCookie().filter((cookie) => cookie.startsWith("__Host-token="));
    expect(cookies).toEqual([expect.stringMatching(/; Path=\/; (?:.*; )?Secure/)]);
    const { value } = /=(?<value>[^;]+)/.exec(cookies[0]!)!.groups!;
    for (const [name, status] of [
      ["__Host-token", 200],
      ["token", 401],
    ] as const)
      expect((await fetch(`${origin}/me`, { headers: { cookie: `${name}=${value}` } })).status).toBe(status);
    const left = await fetch(`${origin}/sign-out`, { method: "POST", redirect: "manual" });
    expect(left.headers.getSetCookie().join()).toMatch(/^__Host-token=;.*Path=\/.*Secure/);
  });

  it("T52: rejects a token in a browser that did not start the sign-in, or only began one", async () => {
    const origin = await start();
    const browser = new Browser();
    await browser.get(`${origin}/sign-in`);
    const token = browser.cookies(origin).get("token")!;
    const mallorys = await nonceOf(origin);
    for (const began of [false, true]) {
      const victim = new Browser();
      if (began) await victim.begin(`${origin}/sign-in`);
      expect(victim.cookies(origin).size).toBe(began ? 1 : 0);
      for (const query of [`token=${token}`, `token=${token}&nonce=${mallorys}`])
        expect((await victim.get(`${origin}/callback?${query}`)).text).toContain("This sign-in has expired");
      expect(victim.cookies(origin).has("token")).toBe(false);
      expect((await victim.get(`${origin}/me`)).status).toBe(401);
    }
  });

  it.each<[who: string, headers: Record<string, string>]>([
    ["another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
    ["a prefetch", { "sec-purpose": "prefetch" }],
    ["a script", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }],
    ["a WebSocket", { "sec-websocket-key": "x" }],
  ])("T52: starts no sign-in for %s", async (_who, headers) => {
    const origin = await start();
    const response = await fetch(`${origin}/sign-in`, { headers, redirect: "manual" });
    expect([response.status, response.headers.getSetCookie()]).toEqual([400, []]);
    expect(await response.text()).toContain('href="/sign-in"');
  });

  it("returns to the page that the sign-in began for, and to no other site", async () => {
    const origin = await start();
    const after = async (path: string): Promise<string> =>
      (await new Browser().get(`${origin}/sign-in?return_to=${encodeURIComponent(path)}`)).url.href;
    expect(await after("/me?tab=2")).toBe(`${origin}/me?tab=2`);
    expect(await after("//evil.test/")).toBe(`${origin}/`);
  });

  it("accepts no second callback after one that failed", async () => {
    const origin = await start();
    const { callback, headers } = await begun(origin);
    const response = await fetch(`${callback}&error=access_denied`, { headers, redirect: "manual" });
    expect(response.headers.getSetCookie().join()).toMatch(/^svc-sign-in-[\w-]+=;.*Max-Age=0/);
  });

  it.each([
    ["token=a.b.c", "The sign-in failed"],
    ["error=access_denied", "You cancelled the sign-in"],
    ["error=email_not_verified", "Your e-mail address is not verified there"],
    ["error=temporarily_unavailable", "Sign-in is not available at the moment"],
    ["error=server_error", "The sign-in failed"],
    ["error=toString", "The sign-in failed"],
    ["error=<script>", "The sign-in failed"],
    ["", "The sign-in failed"],
  ])("explains in its own words a callback with %j", async (query, message) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const origin = await start();
    const { callback, headers } = await begun(origin);
    const response = await fetch(`${callback}&${query}`, { headers });
    const text = await response.text();
    expect(text).toContain(message);
    expect(text).not.toContain("<script>");
    const direct = await fetch(`${callback}&${query}`, { headers, redirect: "manual" });
    expect(direct.headers.getSetCookie().join()).not.toMatch(/\btoken=\w/);
  });

  it("signs a user out and redirects to a page that exists", async () => {
    const origin = await start();
    const response = await fetch(`${origin}/sign-out`, { method: "POST", redirect: "manual" });
    expect(response.headers.getSetCookie().join()).toMatch(/^token=;/);
    expect((await fetch(new URL(response.headers.get("location") ?? "", origin))).status).toBe(200);
  });
});

describe("An example application with the key of another instance", () => {
  const wrong = "sk_wrong_0123456789abcdefghijklmnopqrstuvwxyz";

  it.each(Object.entries(applications))("offers another try on %s and logs the reason", async (_, start) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const right = secretKey;
    onTestFinished(() => {
      vi.restoreAllMocks();
      secretKey = right;
    });
    secretKey = wrong;
    const origin = await start();
    const { text } = await new Browser().get(`${origin}/sign-in`);
    expect(text).toContain("The sign-in failed");
    expect(text).not.toContain("node_modules");
    expect(logged.mock.calls).toEqual([["Token invalid signature"]]);
  });
});

describe("The API example on Hono", () => {
  it("answers only requests with a valid token", async () => {
    const origin = await listening(() =>
      getRequestListener(createHono({ secretKey }).fetch, { overrideGlobalObjects: false }),
    );
    const token = await tokenOf("ada@acme.test");
    const ask = (headers: Record<string, string>): Promise<Response> => fetch(`${origin}/me`, { headers });
    expect((await fetch(`${origin}/health`)).status).toBe(200);
    expect(await (await ask({ authorization: `Bearer ${token}` })).json()).toMatchObject({ email: "ada@acme.test" });
    const refused = await ask({ authorization: `Bearer ${token}x` });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect((await ask({})).headers.get("www-authenticate")).toBe('Bearer realm="svc"');
  });
});

describe("The Express example", () => {
  it("shows a person who is signed out where to sign in", async () => {
    const origin = await applications["Express"]!();
    const { status, text } = await new Browser().get(`${origin}/me`);
    expect({ status, link: /<a href="([^"]+)"/.exec(text)?.[1] }).toEqual({ status: 401, link: "/sign-in" });
  });
});

describe("The program of the Express example", () => {
  it.each([
    ["an empty key", "", "secretKey is empty"],
    ["a wrong key", "sk_wrong_0123456789abcdefghijklmnopqrstuvwxyz", "401 Unauthorized"],
    ["no key", undefined, "secretKey"],
  ])("says at startup what to check with %s", async (_, key, problem) => {
    const main = join(ROOT, "examples/express/main.js");
    const env = { SVC_BASE_URL: baseUrl, PORT: "0", ...(key !== undefined && { SVC_SECRET_KEY: key }) };
    const child = spawn(process.execPath, [main], { env, stdio: ["ignore", "ignore", "pipe"] });
    onTestFinished(() => void child.kill());
    const output: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, output.join("")]).toEqual([
      1,
      expect.stringMatching(`^Check SVC_SECRET_KEY and SVC_BASE_URL: .*${problem}.*\n$`),
    ]);
  });
});

/** Starts an example's program, as `examples/README.md` does. @returns its address; a line on stderr fails the test */
async function startExample(name: string, command: readonly string[]): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, SVC_BASE_URL: baseUrl, SVC_SECRET_KEY: secretKey, PORT: String(await freePort()) };
  const child = spawn(command[0]!, command.slice(1), { cwd: join(ROOT, "examples", name), env });
  const closed = once(child, "close");
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  onTestFinished(async () => {
    child.kill();
    await closed;
    expect(stderr).toBe("");
  });
  const [line] = (await Promise.race([once(child.stdout, "data"), closed.then(() => [stderr])])) as [Buffer | string];
  return /http:\/\/localhost:\d+/.exec(String(line))?.[0] ?? expect.fail(String(line));
}

it("The program of the Express example signs a user in", async () => {
  const origin = await startExample("express", ["node", "main.js"]);
  expect((await new Browser().get(`${origin}/sign-in`)).text).toContain("Ada Lovelace");
});

describe("The Python example", needs("python3"), () => {
  it("signs a user in, and takes no token in a browser that did not begin the sign-in", async () => {
    const origin = await startExample("python", ["python3", "app.py"]);
    const browser = new Browser();
    expect((await browser.get(`${origin}/sign-in`)).text).toBe("Hello Ada Lovelace");
    expect(browser.cookies(origin).size).toBe(0);

    const token = await tokenOf("ada@acme.test");
    const { callback, headers } = await begun(origin);
    const nonce = await nonceOf(origin);
    const finish = (url: string, more: Record<string, string>): Promise<Response> =>
      fetch(`${url}&token=${token}`, { headers: more });
    const twice = { cookie: `${headers["cookie"]}; signing_in=${nonce}` };
    const refused = [
      finish(callback, {}),
      finish(`${origin}/callback?nonce=${nonce}`, headers),
      finish(`${origin}/callback?x`, headers),
      finish(`${origin}/callback?nonce=`, { cookie: "signing_in=" }),
      finish(`${origin}/callback?nonce=${nonce}`, twice),
      finish(callback, { ...headers, "sec-websocket-key": "x" }),
      finish(callback, { ...headers, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }),
    ];
    for (const response of await Promise.all(refused)) expect(response.status).toBe(401);
    expect((await finish(callback, headers)).status).toBe(200);
    for (const more of [
      { "sec-fetch-site": "cross-site" },
      { "sec-purpose": "prefetch" },
      { "sec-websocket-key": "x" },
    ])
      expect((await fetch(`${origin}/sign-in`, { headers: more as Record<string, string> })).status).toBe(400);
  });
});

it("The program of the Hono example listens where PORT says and tells the address", async () => {
  const address = await startExample("hono", ["node", "main.js"]);
  expect(new URL(address).port).not.toBe("3000");
  expect(await (await fetch(`${address}/health`)).json()).toEqual({ ok: true });
});

async function tokenOf(login_hint: string): Promise<string> {
  const target = "http://localhost:3000/callback";
  const query = new URLSearchParams({ provider: "google", redirect_uri: target, login_hint });
  let url = `${baseUrl}/oauth/authorize?${query.toString()}`;
  while (!url.startsWith(target)) url = (await fetch(url, { redirect: "manual" })).headers.get("location")!;
  return new URL(url).searchParams.get("token")!;
}

describe("The steps of the GitHub Actions job", () => {
  it("run the service and verify one of its tokens", async () => {
    interface Job {
      jobs: { test: { steps: { run?: string }[] } };
    }
    const job = parse(await readFile(join(ROOT, "examples/github-actions/verify.yml"), "utf8")) as Job;
    const steps = job.jobs.test.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(steps).toHaveLength(4);
    const directory = await withPackage();
    const script = ["set -e", "trap 'kill $(jobs -p)' EXIT", ...steps].join("\n").replace("--port 7820", "--port 0");
    const { code, output } = await bash(script, directory);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("ada@acme.test") as string });
  });

  it("that has a service container sign in at a server with its command", async () => {
    const source = await readFile(join(ROOT, "examples/github-actions/service-container.yml"), "utf8");
    const port = String(await freePort());
    const workflow = source.replaceAll("${{ github.sha }}", "0123456789abcdef".repeat(2)).replaceAll("7820", port);
    const { env, jobs } = parse(workflow) as ServiceWorkflow;
    const { services, steps } = jobs.test;
    const own = temporaryDirectory();
    // SVC_HOST as in the image.
    const image = { ...services.svc.env, SVC_HOST: "0.0.0.0", SVC_PORT: port, HOME: own, PATH: process.env["PATH"] };
    const server = spawn(BIN, services.svc.command.split(" "), { cwd: own, env: image });
    onTestFinished(() => void server.kill());
    await once(server.stdout, "data");

    const runs = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(runs).toHaveLength(4);
    const variables = Object.entries({ ...env, GITHUB_ENV: "./github.env" }).map(([name, value]) => `${name}=${value}`);
    // A step has the variables that those before it have left.
    const next = 'if [ -e "$GITHUB_ENV" ]; then . "$GITHUB_ENV"; fi';
    const script = ["set -ea", ...variables, ...runs.flatMap((run) => [run, next])].join("\n");
    const { code, output } = await bash(script, await withPackage());
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("ada@acme.test") as string });
  });
});

interface ServiceWorkflow {
  env: Record<string, string>;
  jobs: {
    test: { services: { svc: { command: string; env: Record<string, string> } }; steps: { run?: string }[] };
  };
}

/** A directory whose `npx` and `npm` find the package as after `npm install svc-identity`. */
async function withPackage(): Promise<string> {
  const directory = temporaryDirectory();
  await writeFile(join(directory, "npx"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  await symlink(join(ROOT, "bin/svc.js"), join(directory, "svc-identity"));
  await writeFile(join(directory, "npm"), '#!/bin/sh\n[ "$1" = ci ] || [ -n "$SVC_SECRET_KEY" ]\n', { mode: 0o755 });
  return directory;
}

function bash(script: string, cwd: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", script], {
      cwd,
      env: { HOME: cwd, PATH: `${cwd}:${process.env["PATH"]}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("close", (code) => resolve({ code, output }));
  });
}

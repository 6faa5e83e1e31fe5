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
import { GET as callback } from "../../examples/nextjs/app/callback/route.ts";
import { GET as me } from "../../examples/nextjs/app/me/route.ts";
import { GET as signIn } from "../../examples/nextjs/app/sign-in/route.ts";
import { POST as signOut } from "../../examples/nextjs/app/sign-out/route.ts";
import { messageOf } from "../../examples/nextjs/lib/failures.ts";
import { temporaryDirectory } from "../_files.ts";
import { ROOT } from "../_paths.ts";

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

  async get(address: string): Promise<{ url: URL; status: number; text: string }> {
    let url = new URL(address);
    for (let hops = 0; hops < 12; hops++) {
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

const nextRoutes: Record<string, (request: Request) => Promise<Response>> = {
  "/sign-in": signIn,
  "/callback": callback,
  "/me": me,
  "/sign-out": signOut,
  // In place of the page, which Next.js renders.
  "/": async (request) => new Response(messageOf(new URL(request.url).searchParams.get("error") ?? "")),
};

const applications: Record<string, () => Promise<string>> = {
  Express: () => listening((origin) => createExpress({ secretKey, baseUrl, origin })),
  "Next.js": () => {
    process.env["SVC_SECRET_KEY"] = secretKey;
    process.env["SVC_BASE_URL"] = baseUrl;
    return listening((origin) => {
      process.env["APP_ORIGIN"] = origin;
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

  it("rejects a token in a browser that did not start the sign-in", async () => {
    const origin = await start();
    const browser = new Browser();
    await browser.get(`${origin}/sign-in`);
    const token = browser.cookies(origin).get("token")!;
    const victim = new Browser();
    expect((await victim.get(`${origin}/callback?token=${token}`)).text).toContain("This sign-in has expired");
    expect(victim.cookies(origin).has("token")).toBe(false);
    expect((await victim.get(`${origin}/me`)).status).toBe(401);
  });

  it("starts no sign-in for another site, such as one that wants to finish it as another user", async () => {
    const origin = await start();
    const headers = { "sec-fetch-site": "cross-site" };
    const response = await fetch(`${origin}/sign-in`, { headers, redirect: "manual" });
    expect([response.headers.get("location"), response.headers.getSetCookie()]).toEqual(["/", []]);
  });

  it("accepts no second callback after one that failed", async () => {
    const origin = await start();
    const headers = { cookie: "signing_in=1" };
    const response = await fetch(`${origin}/callback?error=access_denied`, { headers, redirect: "manual" });
    expect(response.headers.getSetCookie().join()).toMatch(/^signing_in=;/);
  });

  it.each([
    ["token=a.b.c", "This sign-in has expired"],
    ["error=access_denied", "You cancelled the sign-in"],
    ["error=email_not_verified", "Your e-mail address is not verified there"],
    ["error=account_conflict", "Another account has your e-mail address"],
    ["error=temporarily_unavailable", "Sign-in is not available at the moment"],
    ["error=server_error", "The sign-in failed"],
    ["error=toString", "The sign-in failed"],
    ["error=<script>", "The sign-in failed"],
    ["", "The sign-in failed"],
  ])("explains in its own words a callback with %j", async (query, message) => {
    const origin = await start();
    const headers = { cookie: "signing_in=1" };
    const response = await fetch(`${origin}/callback?${query}`, { headers });
    const text = await response.text();
    expect(text).toContain(message);
    expect(text).not.toContain("<script>");
    expect(
      (await fetch(`${origin}/callback?${query}`, { headers, redirect: "manual" })).headers.getSetCookie().join(),
    ).not.toMatch(/\btoken=\w/);
  });

  it("signs a user out and redirects to a page that exists", async () => {
    const origin = await start();
    const response = await fetch(`${origin}/sign-out`, { method: "POST", redirect: "manual" });
    expect(response.headers.getSetCookie().join()).toMatch(/^token=;/);
    expect((await fetch(new URL(response.headers.get("location") ?? "", origin))).status).toBe(200);
  });
});

describe("An example application whose key the service rejects", () => {
  const wrong = "sk_wrong_0123456789abcdefghijklmnopqrstuvwxyz";
  const starts: Record<string, () => Promise<string>> = {
    Express: () => listening((origin) => createExpress({ secretKey: wrong, baseUrl, origin })),
    "Next.js": async () => {
      vi.resetModules();
      vi.stubEnv("SVC_SECRET_KEY", wrong).stubEnv("SVC_BASE_URL", baseUrl);
      const { GET } = await import("../../examples/nextjs/app/callback/route.ts");
      const routes: typeof nextRoutes = { ...nextRoutes, "/callback": GET };
      return listening(() =>
        getRequestListener((request) => routes[new URL(request.url).pathname]!(request), {
          overrideGlobalObjects: false,
        }),
      );
    },
  };

  it.each(Object.entries(starts))("offers another try on %s and logs the reason", async (_, start) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    });
    const origin = await start();
    const response = await fetch(`${origin}/callback?token=a.b.c`, { headers: { cookie: "signing_in=1" } });
    const text = await response.text();
    expect(text).toContain("Sign-in is not available at the moment");
    expect(text).not.toContain("node_modules");
    expect(logged.mock.calls).toEqual([
      ["POST /api/v1/tokens/verify: 401 Unauthorized. Check that the key belongs to the instance at baseUrl"],
    ]);
  });
});

describe("The pages of the Next.js example", () => {
  it("type-check with the types of React and of this package", async () => {
    const directory = temporaryDirectory();
    // Next.js is not installed: this is what the page uses of it.
    const cookies = "Promise<{ get(name: string): { name: string; value: string } | undefined }>";
    const declared = `declare module "next/headers" { export function cookies(): ${cookies}; }\n`;
    await writeFile(join(directory, "next.d.ts"), declared);
    const project = {
      extends: join(ROOT, "examples/nextjs/tsconfig.json"),
      compilerOptions: { typeRoots: [join(ROOT, "node_modules/@types")], types: ["node", "react"] },
      include: ["next.d.ts", join(ROOT, "examples/nextjs/**/*")],
    };
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify(project));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { code, output } = await bash(
      `'${process.execPath}' '${tsc}' -p . --listFilesOnly && '${process.execPath}' '${tsc}' -p .`,
      directory,
    );
    for (const page of ["app/page.tsx", "app/layout.tsx", "app/callback/route.ts"]) expect(output).toContain(page);
    expect({ code, errors: output.split("\n").filter((line) => line.includes("error TS")) }).toEqual({
      code: 0,
      errors: [],
    });
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

it("The program of the Hono example listens where PORT says and tells the address", async () => {
  const main = join(ROOT, "examples/hono/main.js");
  const child = spawn(process.execPath, [main], { env: { SVC_SECRET_KEY: secretKey, PORT: "0" } });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const [address] = /^http:\/\/localhost:\d+/.exec(String(line)) ?? [];
  expect(new URL(address!).port).not.toBe("3000");
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
    expect(steps).toHaveLength(3);
    const directory = temporaryDirectory();
    // What npx would find after `npm install svc-identity`.
    await writeFile(join(directory, "npx"), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    await symlink(join(ROOT, "bin/svc.js"), join(directory, "svc-identity"));
    await writeFile(join(directory, "npm"), '#!/bin/sh\n[ "$1" = ci ]\n', { mode: 0o755 });
    const script = ["set -e", "trap 'kill $(jobs -p)' EXIT", ...steps].join("\n").replace("--port 7820", "--port 0");
    const { code, output } = await bash(script, directory);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("ada@acme.test") as string });
  });
});

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

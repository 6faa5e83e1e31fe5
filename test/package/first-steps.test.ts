import { createServer } from "node:http";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { transform } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { SNIPPETS } from "../../src/dashboard/views/snippets.ts";
import { freePort } from "../_free-port.ts";
import { browse, installed, run, serving, type Jars } from "../_documents.ts";
import { ROOT } from "../_paths.ts";

type Get = (request: Request) => Promise<Response>;

/** Writes the files of a snippet, which are told apart by their names in comments. @returns their names */
async function write(directory: string, code: string): Promise<string[]> {
  const files = code.split(/^(?=\/\/ \S+\.(?:ts|mjs)$)/m);
  return Promise.all(
    files.map(async (text) => {
      const name = /^\/\/ (\S+)$/m.exec(text)![1]!.replace(/\.ts$/, ".mjs");
      await mkdir(join(directory, dirname(name)), { recursive: true });
      await writeFile(join(directory, name), (await transform(text, { loader: "ts" })).code);
      return name;
    }),
  );
}

async function signsIn(origin: string, start: string): Promise<void> {
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  for (const headers of [link, { "sec-purpose": "prefetch" }]) {
    const forced = await fetch(start, { headers, redirect: "manual" });
    expect([forced.status, forced.headers.getSetCookie()]).toEqual([400, []]);
  }
  const jars: Jars = new Map();
  expect(await browse(start, jars)).toBe("Hello Ada Lovelace");
  expect([...jars.get(new URL(origin).host)!.values()]).toEqual([""]);
  for (const query of ["token=a.b.c", `nonce=${"A".repeat(43)}&error=<script>`]) {
    const stray = await fetch(`${origin}/callback?${query}`);
    expect([stray.status, stray.headers.get("content-type")]).toEqual([401, expect.stringMatching(/^text\/plain/i)]);
    expect(await stray.text()).toMatch(/^Not signed in\. (No sign-in began here|This browser has no sign-in open)/);
  }
}

it.each(["Express", "Hono"] as const)("The dashboard's first steps with %s sign a user in", async (name) => {
  const directory = await installed();
  for (const own of ["hono", "@hono"])
    await symlink(join(ROOT, "node_modules", own), join(directory, "node_modules", own));
  const env = await serving(directory);
  const { code, start } = SNIPPETS[name](env["SVC_BASE_URL"]!);
  const port = String(await freePort());
  const [file] = await write(directory, code.replaceAll("3000", port));
  expect(start.command).toBe(`node ${file}`);
  const program = run(directory, start.command.split(" "), { SVC_SECRET_KEY: env["SVC_SECRET_KEY"] });
  const origin = await program.until(/(http:\/\/localhost:\d+)/);
  const link = /href="([^"]+)"/.exec(await (await fetch(start.address.replace("3000", port))).text())![1]!;
  await signsIn(origin, origin + link);
});

it("The dashboard's first steps with Next.js sign a user in", async () => {
  const directory = await installed();
  const env = await serving(directory);
  process.env["SVC_SECRET_KEY"] = env["SVC_SECRET_KEY"];
  onTestFinished(() => void delete process.env["SVC_SECRET_KEY"]);
  const { code, start } = SNIPPETS["Next.js"](env["SVC_BASE_URL"]!);
  const routes = new Map<string, Get>();
  const port = await freePort();
  for (const file of await write(directory, code.replaceAll("3000", String(port)))) {
    const { GET } = (await import(pathToFileURL(join(directory, file)).href)) as { GET: Get };
    routes.set(/^app(.*)\/route/.exec(file)![1]!, GET);
  }
  const listener = getRequestListener((request) => routes.get(new URL(request.url).pathname)!(request), {
    overrideGlobalObjects: false,
  });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()));
  await signsIn(`http://localhost:${port}`, start.address.replace("3000", String(port)));
});

it("The dashboard's first steps with curl verify a token", async () => {
  const directory = await installed();
  const env = await serving(directory);
  const found = run(directory, ["sh", "-c", `npx svc-identity instances list --json`], env);
  expect(await found.code, found.output()).toBe(0);
  const key = /pk_[\w-]+/.exec(found.output())![0];
  const steps = SNIPPETS.curl(env["SVC_BASE_URL"]!, key);
  const shell = run(directory, ["sh", "-c", `${steps.env}\n${steps.code}`]);
  expect(await shell.code).toBe(0);
  expect(shell.output()).toContain('"valid":true');
});

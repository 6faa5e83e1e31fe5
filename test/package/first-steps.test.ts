import { createServer } from "node:http";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { transform } from "esbuild";
import { expect, it, onTestFinished } from "vitest";
import { SNIPPETS } from "../../src/dashboard/views/overview/snippets.ts";
import { freePort } from "../_free-port.ts";
import { browse, installed, run, serving } from "../_documents.ts";
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
  const forced = await fetch(start, { headers: { "sec-fetch-site": "cross-site" }, redirect: "manual" });
  const home = new URL(forced.headers.get("location")!, origin).href;
  expect([home, forced.headers.getSetCookie()]).toEqual([`${origin}/`, []]);
  expect(await browse(start)).toBe("Hello Ada Lovelace");
  const stray = await fetch(`${origin}/callback?token=a.b.c`);
  expect([stray.status, await stray.text()]).toEqual([400, "Not signed in: no sign-in began here"]);
  const script = await fetch(`${origin}/callback?error=<script>`);
  expect(script.headers.get("content-type")).toMatch(/^text\/plain/i);
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
  for (const file of await write(directory, code)) {
    const { GET } = (await import(pathToFileURL(join(directory, file)).href)) as { GET: Get };
    routes.set(/^app(.*)\/route/.exec(file)![1]!, GET);
  }
  const listener = getRequestListener((request) => routes.get(new URL(request.url).pathname)!(request), {
    overrideGlobalObjects: false,
  });
  const server = createServer((request, response) => void listener(request, response));
  const port = await freePort();
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

// Below the faces: the reports are given a server whose requests are made one at a time.
import { expect, it } from "vitest";
import { jsonReport, textReport } from "../../src/cli/commands/serve/report.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { createContext, runCli, type TestContext } from "../_cli.ts";
import { followSignIn, startServer, type ControlledServer } from "../_control.ts";

const REASON = "access_denied: GitHub reported access_denied: the user cancelled, or may not use this application.";
/** The same in a sign-in that a scenario decided. */
const WISHED = REASON.replace(": ", ": As the outcome access_denied asked: ");
const ASKED = REASON.replace(": ", ": As the scenario access_denied asked: ");
const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

/** A server that reports as svc serve does, into the buffers of a context. */
async function reporting(as: typeof textReport): Promise<{ server: ControlledServer; context: TestContext }> {
  const context = createContext();
  const { request, warn } = as(context);
  return { server: await startServer({ onRequest: request, warn }), context };
}

function svc(server: ControlledServer, ...argv: string[]): ReturnType<typeof runCli> {
  const env = { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key };
  return runCli(argv, { fetch: globalThis.fetch as unknown as Fetch, env });
}

it("svc serve and svc logs show the path of a mistyped address alike, and no token in it", async () => {
  const { server, context } = await reporting(textReport);
  await fetch(`${server.url}/oauth/authorise?provider=github`);
  await fetch(`${server.url}/${TOKEN}`);
  const { stdout } = await svc(server, "logs", "--failed");
  for (const text of [context.written.stdout, stdout]) {
    expect(text).toMatch(/404 {2}GET {4}\/oauth\/authorise +- {2}[\d.]+ ms\n {10}(?:✗ )?Not found\n/);
    expect(text).toMatch(/404 {2}GET {4}\/\[redacted\] +- /);
  }
  const json = await svc(server, "logs", "--json");
  expect(json.stdout).toContain('"path":"/oauth/authorise?provider=github"');
  expect(context.written.stdout + stdout + json.stdout).not.toContain(TOKEN.slice(0, 10));
});

it("svc serve leaves out what the dashboard reads, and shows what it changes or what fails", async () => {
  const { server, context } = await reporting(textReport);
  for (const path of ["/__svc/dashboard.css", "/__svc/openapi.json"]) await fetch(`${server.url}${path}`);
  expect((await server.control("GET /clock")).status).toBe(200);
  expect(context.written.stdout).toBe("");
  const begin = new URLSearchParams({ instance: "acme", provider: "github", redirect_uri: "http://localhost:1/" });
  await fetch(`${server.url}/__svc/begin?${begin.toString()}`, { redirect: "manual" });
  expect(context.written.stdout).toMatch(/302 {2}GET {4}\/__svc\/begin/);
  expect((await server.control("GET /flows/0")).status).toBe(404);
  expect((await server.control("POST /clock/reset")).status).toBe(200);
  expect(context.written.stdout).toMatch(/404 {2}GET .*\n(?: .*\n)?.*200 {2}POST {3}\/__svc\/v1\/clock\/reset/);
});

it.each([
  ["text", textReport],
  ["JSON", jsonReport],
])("svc serve says in %s once why a sign-in failed", async (_, report) => {
  const { server, context } = await reporting(report);
  const times = (reason: string): number => context.written.stdout.split(reason).length - 1;
  const outcome = "access_denied";
  expect((await server.control("POST /sign-ins", { provider: "github", outcome })).status).toBe(201);
  expect(times(WISHED)).toBe(1);
  expect((await server.control("POST /scenarios", { outcome })).status).toBe(201);
  const query = new URLSearchParams({ provider: "github", redirect_uri: `${server.url}/__svc/signed-in` });
  await followSignIn(`${server.url}/oauth/authorize?${query.toString()}`);
  expect([times(WISHED), times(ASKED), context.written.stderr]).toEqual([1, 1, ""]);
});

// Below the faces: the width of one step.
import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import { expect, it } from "vitest";
import { lineWriter } from "../../src/cli/commands/logs/view.ts";
import type { Context } from "../../src/cli/context.ts";
import { answerOf, server, signIn, svc, useDevServer } from "../_dev-server.ts";
import { directory, start, useProcesses } from "../_bin.ts";
import { serveHere } from "../_serving.ts";

useDevServer();
useProcesses();

interface Event {
  readonly id: string;
  readonly resource: "request" | "flow";
  readonly data: Record<string, unknown>;
}
const events = (text: string): Event[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);

it("svc logs prints a line for each request and the steps of a sign-in below it", async () => {
  await answerOf("dev next github --as ada");
  await signIn("github");
  const { code, stdout } = await svc("logs", { tty: true, columns: 100 });
  expect(code).toBe(0);
  const lines = stdout.split("\n").map((line) => stripVTControlCharacters(line));
  const at = (text: string): number => lines.findIndex((line) => line.includes(text));
  expect(lines[at(" /sign-in ")]).toMatch(/^\d\d:\d\d:\d\d {2}302 {2}GET {4}\/sign-in +acme {2}[\d.]+ ms$/);
  const [, id] = /^ {10}flow {6}([0-9a-f]+)$/.exec(lines[at(" /sign-in ") + 1]!) ?? [];
  expect((await svc(`logs --flow ${id}`)).stdout).toContain("begin     with GitHub");
  expect(lines.filter((line) => line.startsWith("          flow")).length).toBe(1);
  expect(lines[at(" /sign-in ") + 2]).toMatch(/^ {10}begin +with GitHub, back to http/);
  expect(lines[at("/authorize") + 1]).toMatch(/^ {10}provider +ada signs in/);
  const callback = at(" /oauth/:provider/callback");
  const steps = lines.slice(callback + 1, callback + 6).map((line) => /^ {10}(\w+)/.exec(line)?.[1]);
  expect(steps).toEqual(["callback", "token", "user", "emails", "redirect"]);
  expect(lines[callback + 2]).toContain("POST /__svc/simulator/github/access_token → 200");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

it("svc logs --failed prints the reason of each failed sign-in and omits successful ones", async () => {
  await answerOf("dev next github --as ada --outcome access_denied");
  await signIn("github");
  const { stdout } = await svc("logs --failed --since 1m");
  expect(stdout).toContain(
    "✗ access_denied: As the scenario access_denied asked: GitHub reported access_denied: the user cancelled, or may not use this application.",
  );
  expect(stdout).toMatch(/^ {10}begin/m);
  expect(stdout).not.toContain("GET    /sign-in");
});

it("svc logs --user finds by a part of the name what failed before a name was known", async () => {
  await answerOf("dev next google --as ada --outcome token_error");
  await signIn("google");
  const found = async (line: string[]): Promise<unknown[]> =>
    events((await svc(line)).stdout)
      .filter(({ resource }) => resource === "flow")
      .map(({ data }) => [data["as"], data["error"]]);
  for (const name of ["Lovelace", "lovelace ada"])
    expect((await found(["logs", "--failed", "--json", "--user", name])).at(-1)).toEqual([
      "ada",
      "temporarily_unavailable",
    ]);
  expect((await svc("logs --failed --json --user Babbage")).stdout).toBe("");
});

it("svc logs --user prints the sign-ins of one user, also those that failed before they had a user", async () => {
  await answerOf("dev next github --as ada --outcome email_not_verified");
  await signIn("github");
  await answerOf("dev next github --as grace");
  await signIn("github");
  const { stdout } = await svc("logs --user ADA@");
  expect(stdout).toContain("✗ email_not_verified");
  expect(stdout).not.toContain("grace");
  const flows = events((await svc("logs --user ADA@ --json")).stdout).filter(({ resource }) => resource === "flow");
  expect(flows.map(({ data }) => data["as"])).toEqual(flows.map(() => "ada"));
  expect(flows.at(-1)!.data).toMatchObject({ error: "email_not_verified", user_id: null });
  const steps = flows.at(-1)!.data["steps"] as { name: string; answered: object }[];
  expect(steps.find(({ name }) => name === "emails")?.answered).toMatchObject({
    "0.email": "ada@home.test",
    "0.primary": expect.any(Boolean) as boolean,
    "0.verified": false,
  });
  await answerOf("dev next github --as ada");
  await signIn("github");
  const { data } = events((await svc("logs --user ada@ --json")).stdout).findLast((one) => one.resource === "flow")!;
  const byId = events((await svc(`logs --user ${String(data["user_id"])} --json`)).stdout);
  const errors = byId.filter(({ resource }) => resource === "flow").map((flow) => flow.data["error"]);
  expect(errors).toEqual(expect.arrayContaining(["email_not_verified", null]));
  expect(await svc("logs --user stranger@x.test", { tty: true })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("\nNothing to show.\n") as string,
  });
  expect((await svc(["logs", "--user", ""])).stderr).toContain("--user is empty.");
});

it("svc logs colours lines by status on a terminal only", async () => {
  await fetch(`${server.url}/api/v1/users`);
  const shown = await svc("logs --limit 1", { tty: true });
  expect(shown.stdout).toContain("\u001b[33m401\u001b[39m");
  const piped = await svc("logs --limit 1");
  expect(piped.stdout).toMatch(/401 {2}GET {4}\/api\/v1\/users .*\n {10}✗ Unauthorized\n$/);
});

it("svc logs shows the steps of a sign-in without a browser", async () => {
  const response = await fetch(`${server.url}/__svc/v1/sign-ins`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.control_key}`, "content-type": "application/json" },
    body: '{"provider":"github","as":"ada","outcome":"code_rejected"}',
  });
  const { flow_id } = (await response.json()) as { flow_id: string };
  const { stdout } = await svc("logs --limit 1");
  expect(stdout).toMatch(
    /201 {2}POST {3}\/__svc\/v1\/sign-ins[^]*\n {10}redirect[^]*\n {10}✗ server_error: As the outcome code_rejected asked: GitHub's token endpoint answered 200/,
  );
  const one = await svc(`logs --flow ${flow_id}`);
  expect(one.stdout).toContain("> client_secret: [redacted]");
  expect(one.stdout).toContain("< error: bad_verification_code");
});

it("svc logs --json prints records for scripts, without secrets", async () => {
  const callback = await signInOnce();
  const { stdout } = await svc("logs --json");
  const all = events(stdout);
  expect(new Set(all.map(({ resource }) => resource))).toEqual(new Set(["flow", "request"]));
  for (const secret of [callback.searchParams.get("token")!, server.control_key!, server.instances[0]!.secret_key])
    expect(stdout).not.toContain(secret);
  expect(all.some(({ data }) => data["route"] === "/__svc/v1/scenarios")).toBe(false);
  expect((await svc("logs --json --all")).stdout).toContain("/__svc/v1/scenarios");
});

it("svc logs hides only the control API and the dashboard below /__svc/, as the dashboard does", async () => {
  for (const path of ["/__svc/signed-in", "/__svc/nonsense", "/__svc/openapi.json", "/__svc/"])
    await fetch(server.url + path);
  const { stdout } = await svc("logs");
  expect(stdout.match(/(?<=GET +)\/__svc\/(?!simulator)\S*/g)).toEqual(["/__svc/signed-in", "/__svc/nonsense"]);
});

async function signInOnce(): Promise<URL> {
  await answerOf("dev next github --as ada");
  return signIn("github");
}

it("svc logs -f prints new events until Ctrl-C", async () => {
  const { ready } = await serveHere(["--store", "memory"], { cwd: directory });
  const logs = start(["logs", "-f"]);
  await fetch(`${ready.url}/api/v1/users`);
  await logs.until("stdout", /401 {2}GET {4}\/api\/v1\/users/);
  await fetch(`${ready.url}/api/v1/sessions`);
  await logs.until("stdout", /401 {2}GET {4}\/api\/v1\/sessions/);
  logs.child.kill("SIGINT");
  const { code, stdout, stderr } = await logs.ended;
  expect([code, stdout.match(/api\/v1\/users/g)?.length]).toEqual([130, 1]);
  expect(stderr).toMatch(/^Logs of \S+ \(the server of this directory\)\n$/);
});

it("svc logs -f continues after the server restarts, with its new key", async () => {
  const first = await serveHere(["--store", "memory"], { cwd: directory });
  const logs = start(["logs", "-f", "--json"]);
  await fetch(`${first.ready.url}/api/v1/users`);
  await logs.until("stdout", /"status":401/);
  await first.stop();
  await logs.until("stderr", /connection was lost/);
  const second = await serveHere(["--store", "memory"], { cwd: directory });
  await logs.until("stderr", /Connected again/);
  await fetch(`${second.ready.url}/api/v1/sessions`);
  await logs.until("stdout", /\/api\/v1\/sessions/);
  logs.child.kill("SIGTERM");
  const { code, stdout } = await logs.ended;
  expect(code).toBe(143);
  expect(events(stdout).every(({ id }) => id !== "")).toBe(true);
});

it("A step with letters that take two columns is cut to the width of the terminal", () => {
  let written = "";
  const stdout = { isTTY: true, columns: 60, write: (text: string) => (written += text) };
  const context = { stdout, env: {} } as unknown as Context;
  const account = "東京".repeat(30);
  const step = { name: "provider", at: "", ms: 3, sent: null, answered: { account }, reason: null };
  lineWriter(context, false).step(step, null);
  const [line = ""] = stripVTControlCharacters(written).split("\n");
  expect(line).toMatch(/^ {10}provider {2}(?:東京)+東?…  3 ms$/u);
  expect(stringWidth(line)).toBeGreaterThan(57);
  expect(stringWidth(line)).toBeLessThanOrEqual(60);
});

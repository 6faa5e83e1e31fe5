import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { directory, serve, useProcesses } from "../_bin.ts";
import { callsOf, packageOf, type Calls, type Script } from "../_calls.ts";
import { needs } from "../_machine.ts";
import { BIN } from "../_paths.ts";
import { openTerminal, type Terminal } from "../_pty.ts";
import { runningIn } from "../_server-file.ts";

/** The packages that svc is built on, and the scope of those that have a package's own code. */
const PACKAGES: Readonly<Record<string, string | undefined>> = {
  commander: undefined,
  "@inquirer/prompts": "@inquirer/",
  undici: undefined,
  jose: undefined,
  lowdb: undefined,
  chalk: undefined,
  h3: undefined,
  listhen: undefined,
  vitest: "@vitest/",
};
const APP = "http://localhost:3000/callback";

useProcesses();
const terminals: Terminal[] = [];
afterEach(() => {
  for (const terminal of terminals.splice(0)) terminal.end();
});

it(
  "svc serve, a sign-in, its verification, a search and a deletion call every package that svc is built on",
  needs("a terminal"),
  async () => {
    const running = new Session();
    running.connect();
    onTestFinished(() => running.disconnect());
    await running.post("Profiler.enable");
    await running.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

    const server = await serve(["--store", "db.json"], { env: { NODE_V8_COVERAGE: join(directory, "serve") } });
    const user = await verify(server.ready.url, await signIn(server.ready.url));
    const search = onTerminal("search", "users search 'email:*@acme.test'");
    await search.until(/ada@acme\.test/);
    expect(await search.code).toBe(0);
    const deletion = onTerminal("delete", `users delete ${user}`);
    await deletion.until(/\(y\/N\)/);
    deletion.type("y\r");
    expect(await deletion.code).toBe(0);
    server.child.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 0 });

    const here = callsIn((await running.post("Profiler.takePreciseCoverage")).result);
    running.disconnect();
    const [serving, searching, deleting] = await callsOf(
      ["serve", "search", "delete"].map((name) => join(directory, name)),
    );
    const calls = {
      "svc serve": serving!,
      "svc users search": searching!,
      "svc users delete": deleting!,
      "this test": here,
    };

    const table = Object.keys(PACKAGES).map((name) => ({
      name,
      ...Object.fromEntries(Object.entries(calls).map(([process, all]) => [process, callsInto(name, all)])),
    }));
    console.table(Object.fromEntries(table.map(({ name, ...row }) => [name, row])));
    const unused = table.filter(({ name }) => Object.values(calls).every((all) => callsInto(name, all) === 0));
    expect(unused.map(({ name }) => name)).toEqual([]);
  },
);

/** @returns the token that the application gets */
async function signIn(url: string): Promise<string> {
  const query = new URLSearchParams({ provider: "google", redirect_uri: APP, login_hint: "ada" });
  let location = `${url}/oauth/authorize?${query.toString()}`;
  while (!location.startsWith(APP)) location = (await fetch(location, { redirect: "manual" })).headers.get("location")!;
  return new URL(location).searchParams.get("token")!;
}

/** @returns the id of the token's user */
async function verify(url: string, token: string): Promise<string> {
  const file = runningIn(directory);
  const answer = await fetch(`${url}/api/v1/tokens/verify`, {
    method: "POST",
    headers: { "x-service-secret-key": file.instances[0]!.secret_key, "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { id: string }).id;
}

/** @param name of the directory for what V8 counts */
function onTerminal(name: string, args: string): Terminal {
  const env = {
    HOME: directory,
    SVC_DATA_DIR: process.env["SVC_DATA_DIR"]!,
    NODE_DISABLE_COMPILE_CACHE: "1",
    NODE_V8_COVERAGE: join(directory, name),
  };
  const terminal = openTerminal(`'${process.execPath}' '${BIN}' ${args}`, directory, env);
  terminals.push(terminal);
  return terminal;
}

function callsIn(scripts: readonly Script[]): Calls {
  const calls = new Map<string, number>();
  for (const { url, functions } of scripts) {
    const name = packageOf(url);
    const count = functions.reduce((sum, { ranges }) => sum + ranges[0]!.count, 0);
    if (name !== undefined) calls.set(name, (calls.get(name) ?? 0) + count);
  }
  return calls;
}

function callsInto(name: string, calls: Calls): number {
  const scope = PACKAGES[name];
  const parts = [...calls].filter(([each]) => each === name || (scope !== undefined && each.startsWith(scope)));
  return parts.reduce((sum, [, count]) => sum + count, 0);
}

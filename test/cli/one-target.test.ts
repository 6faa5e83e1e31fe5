import { mkdtempSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Needs } from "../../src/cli/context.ts";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { runCli, type CliResult } from "../_cli.ts";
import { writeRunning } from "../_server-file.ts";
import { everyCommand } from "./_commands.ts";

const commands = await everyCommand();

let one: RunningServer;
let other: RunningServer;
let cwd: string;
let both: string;

beforeAll(async () => {
  one = await serve({ port: 0, store: "memory" });
  other = await serve({ port: 0, store: "memory" });
  both = mkdtempSync(join(tmpdir(), "svc-test-"));
  cwd = mkdtempSync(join(tmpdir(), "svc-test-"));
});
afterAll(async () => {
  await one.close();
  await other.close();
});

/** Arguments with which each command that changes something would do so, for a server that has them. */
const CHANGES: Readonly<Record<string, string>> = {
  "users delete": "grace@acme.test",
  "sessions prune": "--before 1h",
  "dev next": "github",
  "dev clock freeze": "",
  "dev clock set": "2030-01-31",
  "dev clock advance": "1h",
  "dev clock resume": "",
  "dev clock reset": "",
  "dev snapshot save": "made",
  "dev snapshot restore": "kept",
  "dev snapshot delete": "kept",
  "dev reset": "",
  "dev reset --all": "",
  "dev scenarios --clear": "",
  "dev seed": "-",
  "dev seed --generate": "2",
  "dev users create": "eve@acme.test",
  "dev users update": "ada@acme.test --name Eve",
  "dev sessions revoke": "svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01",
  "dev sessions restore": "svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01",
  "dev instances create": "umbrella",
  "dev instances update": "acme --name Other",
  "dev instances delete": "acme",
  "dev keys rotate": "",
  "dev keys revoke-old": "",
};
const REQUIRED: Readonly<Record<string, string>> = {
  ...CHANGES,
  api: "GET /api/v1/users",
  exec: "true",
  "users get": "ada@acme.test",
  "users search": "name:ada",
  "sessions get": "svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01",
  "sessions search": "provider:github",
  "tokens verify": "x.y.z",
  "tokens decode": "x.y.z",
  "profiles use": "x",
  "store copy": "a.json b.json",
  "store import": "x.ndjson",
  completion: "bash",
};
const CONSENTS = ["users delete", "sessions prune", "dev snapshot restore", "dev snapshot delete", "dev reset"];
CONSENTS.push("dev reset --all");
CONSENTS.push("dev instances delete", "dev keys rotate", "dev keys revoke-old");

function run(line: string, env: Record<string, string | undefined> = {}): Promise<CliResult> {
  const words = [line, REQUIRED[line] ?? "", CONSENTS.includes(line) ? "--yes" : ""].join(" ");
  return runWords(words, env);
}

function runWords(words: string, env: Record<string, string | undefined> = {}, where = cwd): Promise<CliResult> {
  return runCli(words.split(" ").filter(Boolean), {
    cwd: where,
    isOnline: true,
    stdin: "{}",
    env: { HOME: where, ...env },
  });
}

async function runsIn(directory: string, ...servers: readonly RunningServer[]): Promise<void> {
  for (const { url, api_url, instances, control_key, identity_secret } of servers)
    await writeRunning(directory, { url, api_url, instances, control_key, identity_secret });
}

/** What `eval "$(svc env --instance globex)"` sets, or for another instance. */
function variablesOf(server: RunningServer, number: number): Record<string, string> {
  const { url, secret_key, publishable_key } = server.instances[number]!;
  const control = { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key! };
  return { SVC_BASE_URL: url, SVC_SECRET_KEY: secret_key, SVC_PUBLISHABLE_KEY: publishable_key, ...control };
}

async function ask(server: RunningServer, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${server.control_key!}` };
  return (await fetch(`${server.url}/__svc/v1${path}`, { headers })).json();
}

/** All that a command could change of an instance. */
async function stateOf(server: RunningServer, instance: string): Promise<unknown> {
  const lists = ["users", "sessions"].map((name) => ask(server, `/${name}?instance=${instance}&limit=1000`));
  const keys = server.instances.find(({ subdomain }) => subdomain === instance)?.secret_key;
  return [await Promise.all(lists), keys, await ask(server, `/instances/${instance}`)];
}

it("Every command declares what it acts on, and every one that changes a service is tried below", () => {
  expect(commands.filter(({ needs }) => needs === undefined)).toEqual([]);
  const changing = commands.filter(({ needs }) => needs?.changes && needs.on !== "store").map(({ line }) => line);
  expect(changing.toSorted()).toEqual(Object.keys(CHANGES).toSorted());
});

it("Only one file reads the flags and variables that choose a target", async () => {
  const source = join(import.meta.dirname, "../../src/cli");
  const reads =
    /\benv(?:\["|\.)SVC_(?:PROFILE|INSTANCE|BASE_URL|API_URL|PUBLISHABLE_KEY|SECRET_KEY|CONTROL_URL)|\b(?:options|flags)\.(?:profile|instance|baseUrl)\b/;
  const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const reading: string[] = [];
  for (const name of files) if (reads.test(await readFile(join(source, name), "utf8"))) reading.push(name);
  expect(reading).toEqual(["choices.ts"]);
});

const OBEYS: Readonly<Record<string, readonly Needs["on"][]>> = {
  "--instance": ["instance"],
  "--profile": ["instance", "server", "profile"],
  "--base-url": ["instance", "server", "profile"],
};
const refusals = Object.entries(OBEYS).flatMap(([flag, obeying]) =>
  commands
    .filter(({ line, needs }) => !obeying.includes(needs!.on) && !/^(help|exec|__complete)$/.test(line))
    .map(({ line }) => [flag, line] as const),
);

it.each(refusals)("%s is refused by svc %s, which could only ignore it", async (flag, line) => {
  const { code, stdout, stderr } = await runWords(`${line} ${REQUIRED[line] ?? ""} ${flag} http://localhost:1`);
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    expect.stringContaining(`✗ ${flag} is not for svc ${line.replace(/ --.*/, "")},`),
  ]);
});

const onInstance = commands.filter(({ needs }) => needs?.on === "instance").map(({ line }) => line);
const OWN_ANSWER = ["doctor", "tokens verify", "env", "open", "sign-in", "whoami", "instances resolve"];

it.each(onInstance.filter((line) => !OWN_ANSWER.includes(line)))(
  "svc %s refuses an --instance that does not exist",
  async (line) => {
    for (const more of [" --instance nowhere", ""]) {
      const env = { SVC_CONTROL_URL: one.url, SVC_CONTROL_KEY: one.control_key!, SVC_INSTANCE: more ? "" : "nowhere" };
      const { code, stderr } = await runWords(
        `${line} ${REQUIRED[line] ?? ""}${CONSENTS.includes(line) ? " --yes" : ""}${more}`,
        env,
      );
      expect([code, stderr]).toEqual([expect.toBeOneOf([2, 4]), expect.stringMatching(/^✗/)]);
    }
  },
);

describe("In a shell that is set up for Globex", () => {
  it.each(
    Object.keys(CHANGES).filter((line) => commands.find((found) => found.line === line)?.needs?.on === "instance"),
  )("svc %s never acts on Acme", async (line) => {
    const before = await stateOf(one, "acme");
    const variables = variablesOf(one, 1);
    await run(line, variables);
    const { SVC_CONTROL_URL, SVC_CONTROL_KEY } = variables;
    const acme = variablesOf(one, 0);
    await run(line, { ...acme, SVC_INSTANCE: "globex" });
    await run(line, { SVC_CONTROL_URL, SVC_CONTROL_KEY, SVC_INSTANCE: "globex" });
    await run(line, { ...acme, SVC_SECRET_KEY: variables["SVC_SECRET_KEY"] });
    expect(await stateOf(one, "acme")).toEqual(before);
  });

  it("svc dev snapshot restore, which would replace the records of Acme too, is refused", async () => {
    const { code, stderr } = await run("dev snapshot restore", variablesOf(one, 1));
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("names the instance globex, and this command is for all"),
    ]);
  });
});

const CONTROL = Object.keys(CHANGES).filter((line) => line !== "users delete");

it.each(CONTROL)("svc %s refuses the control API of one server beside the address of another", async (line) => {
  const before = await stateOf(other, "acme");
  const { SVC_CONTROL_URL, SVC_CONTROL_KEY } = variablesOf(other, 0);
  const env = { ...variablesOf(one, 0), SVC_CONTROL_URL, SVC_CONTROL_KEY };
  const { code, stdout, stderr } = await run(line, env);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^✗ SVC_BASE_URL names \S+, and no instance of \S+ \(SVC_CONTROL_URL\) has this address\./);
  expect(await stateOf(other, "acme")).toEqual(before);
});

describe("In the directory of two servers", () => {
  beforeAll(() => runsIn(both, one, other));

  it.each(CONSENTS.filter((line) => line !== "dev reset"))("svc %s --yes does not choose one of them", async (line) => {
    const before = [await stateOf(one, "acme"), await stateOf(other, "acme")];
    const { code, stderr } = await runWords(`${line} ${REQUIRED[line]!} --yes`, {}, both);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--yes does not choose among them.")]);
    expect([await stateOf(one, "acme"), await stateOf(other, "acme")]).toEqual(before);
  });

  it("one of them may be named by its address", async () => {
    const { code, stdout } = await runWords(`dev instances list --json --base-url ${one.url}`, {}, both);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ data: { url: one.instances[1]!.url } }, {}]]);
  });
});

import { mkdtempSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Needs } from "../../src/cli/context.ts";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { writeRunning } from "../_server-file.ts";
import { everyCommand } from "./_commands.ts";

const commands = await everyCommand();

const LONG_AGO = "2026-01-05T09:00:00.000Z";
const idOf = (letter: string): string => `svc_session_00000000-0000-4000-8000-00000000000${letter}`;

/** Ada is a user of both instances, with one session that is open and one that is revoked. */
const SEEDED = ["acme", "globex"].map((subdomain, i) => ({
  name: subdomain,
  subdomain,
  users: [
    {
      email: "ada@acme.test",
      name: "Ada",
      sessions: [null, LONG_AGO].map((revoked_at, k) => ({
        session_id: idOf("abcd"[2 * i + k]!),
        provider: "google" as const,
        logged_in_at: LONG_AGO,
        last_signin_at: LONG_AGO,
        revoked_at,
      })),
    },
  ],
}));

async function start(): Promise<RunningServer> {
  const server = await serve({ port: 0, store: "memory", seed: { instances: SEEDED } });
  onTestFinished(() => server.close());
  return server;
}

let one: RunningServer;
let other: RunningServer;
let cwd: string;
let both: string;

beforeAll(async () => {
  one = await serve({ port: 0, store: "memory", seed: { instances: SEEDED } });
  other = await serve({ port: 0, store: "memory", seed: { instances: SEEDED } });
  both = mkdtempSync(join(tmpdir(), "svc-test-"));
  cwd = mkdtempSync(join(tmpdir(), "svc-test-"));
});
afterAll(async () => {
  await one.close();
  await other.close();
});

/** With what each command that changes something does so, and what is done before it. */
const CHANGES: Readonly<Record<string, readonly [given: string, ...before: string[]]>> = {
  "users delete": ["ada@acme.test"],
  "sessions prune": ["--before 1h"],
  "dev next": ["github"],
  "dev reset": [""],
  "dev seed --generate": ["2"],
  "dev users create": ["eve@acme.test"],
  "dev users update": ["ada@acme.test --name Eve"],
  "dev sessions revoke": ["--user ada@acme.test"],
  "dev sessions restore": [idOf("d")],
  "dev keys rotate": ["--publishable-key --no-secret-key"],
  "dev keys revoke-old": ["", "dev keys rotate --keep-old 1h --instance globex --yes"],
  "dev clock freeze": [""],
  "dev clock set": ["2030-01-31"],
  "dev clock advance": ["1h"],
  "dev clock resume": ["", "dev clock freeze 2030-01-31"],
  "dev clock reset": ["", "dev clock set 2030-01-31"],
  "dev snapshot save": ["made"],
  "dev snapshot restore": [
    "kept",
    "dev snapshot save kept",
    "dev reset --instance globex --yes",
    "dev keys rotate --instance acme --yes",
  ],
  "dev snapshot delete": ["kept", "dev snapshot save kept"],
  "dev reset --all": [""],
  "dev scenarios --clear": ["", "dev next github"],
  "dev instances create": ["umbrella"],
  "dev seed": ["-"],
  "dev instances update": ["globex --name Other"],
  "dev instances delete": ["globex"],
  "open --revoke": ["dashboard"],
  "sign-in": ["--as eve@acme.test --provider google"],
};
const REQUIRED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(CHANGES).map(([line, [given]]) => [line, given])),
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

const changing = commands.filter(({ needs }) => needs?.changes && needs.on !== "store");
const linesOf = (found: typeof commands): string[] => found.map(({ line }) => line);
const on = (...what: Needs["on"][]): string[] => linesOf(changing.filter(({ needs }) => what.includes(needs!.on)));
const OF_INSTANCE = on("instance", "either");
const OF_SERVER = on("server", "either");
const CONSENTS = linesOf(changing.filter(({ asks }) => asks));

/** What `svc dev seed -` reads. */
const SEED = JSON.stringify({ instances: [{ name: "Initech", subdomain: "initech" }] });

/** Runs a command that changes something, and consents to it. */
function run(line: string, env: Record<string, string | undefined> = {}, options: CliOptions = {}): Promise<CliResult> {
  return runWords(`${line} ${REQUIRED[line]!} ${CONSENTS.includes(line) ? "--yes" : ""}`, env, options);
}

function runWords(
  words: string,
  env: Record<string, string | undefined> = {},
  options: CliOptions = {},
): Promise<CliResult> {
  const HOME = options.cwd ?? cwd;
  return runCli(words.split(" ").filter(Boolean), {
    cwd,
    isOnline: true,
    stdin: SEED,
    ...options,
    env: { HOME, ...env },
  });
}

async function runsIn(directory: string, ...servers: readonly RunningServer[]): Promise<void> {
  for (const { url, api_url, instances, control_key, identity_secret } of servers)
    await writeRunning(directory, { url, api_url, instances, control_key, identity_secret });
}

/** What `eval "$(svc env --instance globex)"` sets, or for another instance. */
function variablesOf(server: RunningServer, number: number): Record<string, string> {
  const { url, secret_key, publishable_key } = server.instances[number]!;
  return {
    SVC_BASE_URL: url,
    SVC_SECRET_KEY: secret_key,
    SVC_PUBLISHABLE_KEY: publishable_key,
    ...controlOf(server),
  };
}

function controlOf({ url, control_key }: RunningServer): Record<string, string> {
  return { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: control_key! };
}

async function ask(server: RunningServer, path: string, method = "GET"): Promise<unknown> {
  const headers = { authorization: `Bearer ${server.control_key!}`, "content-type": "application/json" };
  return (await fetch(`${server.url}/__svc/v1${path}`, { method, headers })).json();
}

/** All of an instance that a command can change. */
async function instanceOf(server: RunningServer, name: string): Promise<unknown> {
  const { id } = (await ask(server, `/instances/${name}`)) as { id: string };
  const scenarios = (await ask(server, "/scenarios")) as { data: { match: { instance?: string } } }[];
  return {
    instance: await ask(server, `/instances/${name}`),
    keys: await ask(server, `/instances/${name}/reveal`, "POST"),
    users: await ask(server, `/users?instance=${name}`),
    sessions: await ask(server, `/sessions?instance=${name}`),
    scenarios: scenarios.filter(({ data }) => data.match.instance === id),
  };
}

/** All of a server that a command can change. */
async function serverOf(server: RunningServer): Promise<unknown> {
  const { mode, offset_ms } = (await ask(server, "/clock")) as { mode: string; offset_ms: number };
  const shown = ["/instances", "/snapshots", "/scenarios", "/users?instance=acme"];
  // A clock that runs is never twice the same.
  const clock = [mode, mode === "real" ? 0 : Math.round(offset_ms / 60_000)];
  return [clock, ...(await Promise.all(shown.map((path) => ask(server, path))))];
}

/** A server of its own, after what has to be done before a command. */
async function startFor(line: string): Promise<RunningServer> {
  const server = await start();
  const [, ...before] = CHANGES[line]!;
  for (const words of before) expect((await runWords(words, controlOf(server))).code).toBe(0);
  return server;
}

it("Every command declares what it acts on, and every one that changes a service is tried below", () => {
  expect(commands.filter(({ needs }) => needs === undefined)).toEqual([]);
  expect(linesOf(changing).toSorted()).toEqual(Object.keys(CHANGES).toSorted());
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
  "--instance": ["instance", "either"],
  "--profile": ["instance", "server", "either", "profile"],
  "--base-url": ["instance", "server", "either", "profile"],
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

const onInstance = linesOf(commands.filter(({ needs }) => OBEYS["--instance"]!.includes(needs!.on)));
const OWN_ANSWER = ["doctor", "tokens verify", "env", "open", "sign-in", "whoami", "instances resolve"];

it.each(onInstance.filter((line) => !OWN_ANSWER.includes(line)))(
  "svc %s refuses an --instance that does not exist",
  async (line) => {
    for (const more of [" --instance nowhere", ""]) {
      const env = { ...controlOf(one), SVC_INSTANCE: more ? "" : "nowhere" };
      const words = `${line} ${REQUIRED[line] ?? ""}${CONSENTS.includes(line) ? " --yes" : ""}${more}`;
      const { code, stderr } = await runWords(words, env);
      expect([code, stderr]).toEqual([expect.toBeOneOf([2, 4]), expect.stringMatching(/^✗/)]);
    }
  },
);

const WAYS = {
  "variables of Globex": (server: RunningServer) => variablesOf(server, 1),
  SVC_INSTANCE: (server: RunningServer) => ({ ...controlOf(server), SVC_INSTANCE: "globex" }),
} as const;
/** What asks the product API needs the address of an instance. */
const PRODUCT = ["users delete", "sign-in"];
const wayFor = (line: string): keyof typeof WAYS => (PRODUCT.includes(line) ? "variables of Globex" : "SVC_INSTANCE");

it.each(
  OF_INSTANCE.flatMap((line) =>
    [...new Set(["variables of Globex" as const, wayFor(line)])].map((way) => [line, way] as const),
  ),
)("svc %s, which %s sends to Globex, changes Globex and nothing of Acme, and says so", async (line, way) => {
  const server = await startFor(line);
  const [acme, globex] = [await instanceOf(server, "acme"), await instanceOf(server, "globex")];
  const { code, stderr } = await run(line, WAYS[way](server));
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("✗")]);
  const where = PRODUCT.includes(line)
    ? `(${server.instances[1]!.url}, SVC_BASE_URL)`
    : line.startsWith("dev instances")
      ? `of ${server.url} (SVC_CONTROL_URL)`
      : `(${server.url}, SVC_CONTROL_URL)`;
  expect(stderr).toContain(` globex ${where}.\n`);
  // What asks says it before, too.
  if (CONSENTS.includes(line)) expect(stderr.split("\n")[0]).toMatch(/globex.* at |^Deleting from .*instance globex/);
  expect(await instanceOf(server, "acme")).toEqual(acme);
  expect(await instanceOf(server, "globex")).not.toEqual(globex);
});

it.each(OF_SERVER)("svc %s changes the server of SVC_CONTROL_URL, and says so", async (line) => {
  const server = await startFor(line);
  const unchanged = await serverOf(server);
  const { code, stderr } = await run(line, controlOf(server));
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("✗")]);
  expect(stderr).toMatch(new RegExp(` (?:of|to) ${server.url} \\(SVC_CONTROL_URL\\)\\.\\n`));
  if (CONSENTS.includes(line)) expect(stderr.split("\n")[0]).toContain(` at ${server.url} (SVC_CONTROL_URL)`);
  // No answer tells of the dashboard's keys.
  if (line !== "open --revoke") expect(await serverOf(server)).not.toEqual(unchanged);
});

it.each(CONSENTS)("svc %s names in its question what it acts on, and does nothing after a no", async (line) => {
  const server = await startFor(line);
  const read = async (): Promise<unknown> => [await instanceOf(server, "globex"), await serverOf(server)];
  const unchanged = await read();
  const asked: string[] = [];
  const env = OF_INSTANCE.includes(line) ? WAYS[wayFor(line)](server) : controlOf(server);
  const { code, stderr } = await runWords(`${line} ${REQUIRED[line]!}`, env, {
    tty: true,
    confirm: (question) => asked.push(question) === 0,
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("Declined.")]);
  expect(asked).toEqual([expect.stringContaining(line === "users delete" ? server.instances[1]!.url : server.url)]);
  if (OF_INSTANCE.includes(line)) expect(asked[0]).toContain("globex");
  expect(await read()).toEqual(unchanged);
});

describe("In a shell that is set up for Globex", () => {
  it.each(OF_INSTANCE)("svc %s never acts on Acme, which another variable names", async (line) => {
    const before = await instanceOf(one, "acme");
    const acme = variablesOf(one, 0);
    await run(line, { ...acme, SVC_INSTANCE: "globex" });
    await run(line, { ...acme, SVC_SECRET_KEY: variablesOf(one, 1)["SVC_SECRET_KEY"] });
    expect(await instanceOf(one, "acme")).toEqual(before);
  });

  it.each(on("server"))("svc %s, which is for Acme too, is refused until the server is named", async (line) => {
    const server = await startFor(line);
    const unchanged = await serverOf(server);
    const globex = variablesOf(server, 1);
    const { code, stderr } = await run(line, globex);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("names the instance globex, and this command is for all"),
    ]);
    expect(await serverOf(server)).toEqual(unchanged);
    const words = `${line} ${REQUIRED[line]!} ${CONSENTS.includes(line) ? "--yes" : ""} --base-url ${server.url}`;
    expect(await runWords(words, globex)).toMatchObject({ code: 0 });
  });

  it.each(on("server"))("svc %s is refused with its key at the server's front door", async (line) => {
    const env = { ...controlOf(one), SVC_BASE_URL: one.url, SVC_SECRET_KEY: one.instances[1]!.secret_key };
    const unchanged = await serverOf(one);
    expect(await run(line, env)).toMatchObject({ code: 2 });
    expect(await serverOf(one)).toEqual(unchanged);
  });

  it("svc env prints those of Globex, whichever of its variables is set, and of no other instance", async () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-test-"));
    await runsIn(directory, one);
    const { SVC_BASE_URL, SVC_SECRET_KEY, SVC_PUBLISHABLE_KEY } = variablesOf(one, 1) as Record<string, string>;
    const ways = [
      { SVC_BASE_URL },
      { SVC_SECRET_KEY },
      { SVC_PUBLISHABLE_KEY },
      { SVC_BASE_URL: one.url, SVC_SECRET_KEY },
      { SVC_BASE_URL: "http://globex.localhost:1", SVC_SECRET_KEY: `sk_${"x".repeat(43)}` },
    ];
    for (const env of ways) {
      const { stdout } = await runWords("env", env as Record<string, string>, { cwd: directory });
      expect(stdout).toContain(SVC_SECRET_KEY);
    }
    for (const address of ["http://gone.localhost:1", "globex"]) {
      const gone = await runWords("env", { SVC_BASE_URL: address }, { cwd: directory });
      expect([gone.code, gone.stdout, gone.stderr]).toEqual([2, "", expect.stringContaining("the instance is gone")]);
    }
    // The first instance's address is the front door's, at whichever port that was.
    const first = await runWords("env", { SVC_BASE_URL: "http://localhost:1" }, { cwd: directory });
    expect(first.stdout).toContain(one.instances[0]!.secret_key);
  });

  it.each(["update acme --name Other", "delete acme --yes"])("svc dev instances %s is refused", async (words) => {
    const before = await instanceOf(one, "acme");
    const { code, stderr } = await runWords(`dev instances ${words}`, variablesOf(one, 1));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^✗ The argument names "acme", and SVC_\w+ "globex"/)]);
    expect(await instanceOf(one, "acme")).toEqual(before);
  });
});

const CONTROL = Object.keys(CHANGES).filter((line) => !PRODUCT.includes(line));

it.each(CONTROL)("svc %s refuses the control API of one server beside the address of another", async (line) => {
  const before = await instanceOf(other, "acme");
  const env = { ...variablesOf(one, 0), ...controlOf(other) };
  const { code, stdout, stderr } = await run(line, env);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^✗ SVC_BASE_URL names \S+, and no instance of \S+ \(SVC_CONTROL_URL\) has this address\./);
  expect(await instanceOf(other, "acme")).toEqual(before);
});

describe("In the directory of two servers", () => {
  beforeAll(async () => {
    await runsIn(both, one, other);
    for (const server of [one, other]) await runWords("dev snapshot save kept", controlOf(server));
  });

  it.each(linesOf(changing))("svc %s chooses none of them", async (line) => {
    const before = [await instanceOf(one, "acme"), await instanceOf(other, "acme")];
    for (const tty of [true, false]) {
      const { code, stderr } = await run(line, {}, { cwd: both, tty });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/2 servers run in this directory: .*Nothing was done/)]);
    }
    expect([await instanceOf(one, "acme"), await instanceOf(other, "acme")]).toEqual(before);
  });

  it("one of them may be named by its address", async () => {
    const { code, stdout } = await runWords(`dev instances list --json --base-url ${one.url}`, {}, { cwd: both });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ data: { url: one.instances[1]!.url } }, {}]]);
  });
});

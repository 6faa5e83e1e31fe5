import { expect, it, onTestFinished } from "vitest";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { everyCommand } from "./_commands.ts";

const LONG_AGO = "2026-01-05T09:00:00.000Z";
const idOf = (letter: string): string => `svc_session_00000000-0000-4000-8000-00000000000${letter}`;

/** Ada is a user of both instances, with one session that is open and one that is revoked. */
const instances = ["acme", "globex"].map((subdomain, i) => ({
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
  const server = await serve({ port: 0, store: "memory", seed: { instances } });
  onTestFinished(() => server.close());
  return server;
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

/** A line that changes something of Globex, and what is done before it. */
const OF_INSTANCE: Readonly<Record<string, readonly [given: string, before?: string]>> = {
  "users delete": ["ada@acme.test --yes"],
  "sessions prune": ["--before 1h --yes"],
  "dev next": ["github"],
  "dev reset": ["--yes"],
  "dev seed --generate": ["2"],
  "dev users create": ["eve@acme.test"],
  "dev users update": ["ada@acme.test --name Eve"],
  "dev sessions revoke": ["--user ada@acme.test"],
  "dev sessions restore": [idOf("d")],
  "dev keys rotate": ["--publishable-key --no-secret-key --yes"],
  "dev keys revoke-old": ["--yes", "dev keys rotate --keep-old 1h --instance globex --yes"],
};
const OF_SERVER: Readonly<Record<string, readonly [given: string, before?: string]>> = {
  "dev clock freeze": [""],
  "dev clock set": ["2030-01-31"],
  "dev clock advance": ["1h"],
  "dev clock resume": ["", "dev clock freeze 2030-01-31"],
  "dev clock reset": ["", "dev clock set 2030-01-31"],
  "dev snapshot save": ["made"],
  "dev snapshot restore": ["kept --yes", "dev snapshot save kept"],
  "dev snapshot delete": ["kept --yes", "dev snapshot save kept"],
  "dev reset --all": ["--yes"],
  "dev scenarios --clear": ["", "dev next github"],
  "dev instances create": ["umbrella"],
  "dev seed": ["-"],
  "dev instances update": ["acme --name Other"],
  "dev instances delete": ["acme --yes"],
};

/** What `svc dev seed -` reads. */
const SEED = JSON.stringify({ instances: [{ name: "Initech", subdomain: "initech" }] });

function svc(line: string, env: Record<string, string>, more: CliOptions = {}): Promise<CliResult> {
  return runCli(line.split(" ").filter(Boolean), { isOnline: true, env, stdin: SEED, ...more });
}

const commands = await everyCommand();

function asks(line: string): boolean {
  return commands.some((found) => found.line === line && found.asks);
}

it("Every command that changes something of a service is tried below", () => {
  const changing = commands.filter(({ needs }) => needs?.changes && needs.on !== "store");
  const of = (on: string): string[] => changing.flatMap(({ line, needs }) => (needs!.on === on ? [line] : []));
  expect([of("instance").toSorted(), of("server").toSorted()]).toEqual([
    Object.keys(OF_INSTANCE).toSorted(),
    Object.keys(OF_SERVER).toSorted(),
  ]);
});

const WAYS = {
  "variables of Globex": (server: RunningServer) => {
    const { url, secret_key } = server.instances[1]!;
    return { SVC_BASE_URL: url, SVC_SECRET_KEY: secret_key };
  },
  SVC_INSTANCE: () => ({ SVC_INSTANCE: "globex" }),
} as const;

it.each(Object.keys(OF_INSTANCE).flatMap((line) => Object.keys(WAYS).map((way) => [line, way] as const)))(
  "svc %s, which %s sends to Globex, changes Globex and nothing of Acme, and says so",
  async (line, way) => {
    const server = await start();
    const [given, before] = OF_INSTANCE[line]!;
    const control = { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key! };
    if (before !== undefined) expect((await svc(before, control)).code).toBe(0);
    const [acme, globex] = [await instanceOf(server, "acme"), await instanceOf(server, "globex")];
    // What asks the product API needs the address of an instance.
    const chosen =
      line === "users delete" ? WAYS["variables of Globex"](server) : WAYS[way as keyof typeof WAYS](server);
    const { code, stderr } = await svc(`${line} ${given}`, { ...control, ...chosen });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("✗")]);
    const where =
      line === "users delete" ? `${server.instances[1]!.url}, SVC_BASE_URL` : `${server.url}, SVC_CONTROL_URL`;
    expect(stderr).toContain(` globex (${where}).\n`);
    // What asks says it before, too.
    const [announced] = stderr.split("\n");
    if (asks(line)) expect(announced).toMatch(/globex.* at |^Deleting from .*instance globex/);
    expect(await instanceOf(server, "acme")).toEqual(acme);
    expect(await instanceOf(server, "globex")).not.toEqual(globex);
  },
);

it.each(Object.keys(OF_SERVER))("svc %s changes the server of SVC_CONTROL_URL, and says so", async (line) => {
  const server = await start();
  const [given, before] = OF_SERVER[line]!;
  const control = { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key! };
  if (before !== undefined) expect((await svc(before, control)).code).toBe(0);
  const unchanged = await serverOf(server);
  const { code, stderr } = await svc(`${line} ${given}`, control);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("✗")]);
  expect(stderr).toMatch(toServer(server));
  if (asks(line)) expect(stderr.split("\n")[0]).toContain(` at ${server.url} (SVC_CONTROL_URL)`);
  expect(await serverOf(server)).not.toEqual(unchanged);
});

/** The end of the sentence after a change. */
function toServer({ url }: RunningServer): RegExp {
  return new RegExp(` (?:of|to) ${url} \\(SVC_CONTROL_URL\\)\\.\\n`);
}

const ASKING = commands.filter(({ needs, asks: does }) => does && needs?.changes && needs.on !== "store");

it.each(ASKING.map(({ line, needs }) => [line, needs!.on] as const))(
  "svc %s, which acts on one %s, names it in its question, and does nothing after a no",
  async (line, on) => {
    const server = await start();
    const [given, before] = (on === "server" ? OF_SERVER : OF_INSTANCE)[line]!;
    const control = { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key! };
    if (before !== undefined) expect((await svc(before, control)).code).toBe(0);
    const read = async (): Promise<unknown> => [await instanceOf(server, "globex"), await serverOf(server)];
    const unchanged = await read();
    const asked: string[] = [];
    const confirm = (question: string): boolean => asked.push(question) === 0;
    const chosen =
      line === "users delete" ? WAYS["variables of Globex"](server) : on === "server" ? {} : WAYS.SVC_INSTANCE();
    const { code, stderr } = await svc(
      `${line} ${given.replace("--yes", "")}`,
      { ...control, ...chosen },
      { tty: true, confirm },
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining("Declined.")]);
    expect(asked).toEqual([expect.stringContaining(line === "users delete" ? server.instances[1]!.url : server.url)]);
    if (on === "instance") expect(asked[0]).toContain("globex");
    expect(await read()).toEqual(unchanged);
  },
);

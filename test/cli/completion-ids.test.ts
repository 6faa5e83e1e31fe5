import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { writeProfile } from "../../src/cli/credentials/profiles.ts";
import { main } from "../../src/cli/main.ts";
import { createContext, runCli, type CliOptions } from "../_cli.ts";
import { ADA, NOBODY, SEED, setup, type Service } from "../_setup.ts";
import { leaveTrace } from "../_server-file.ts";

const CHARLES = "00000000-0000-4000-8000-0000000000a2";
const GRACE = "00000000-0000-4000-8000-0000000000a3";
const KEY = SEED.instances[0]!.secret_key;
const USERS = [`${GRACE}\tgrace@navy.test`, `${ADA}\tada@acme.test`, `${CHARLES}\tcharles@acme.test`];

let service: Service;
let home: string;
beforeAll(async () => {
  service = await setup();
  home = await mkdtemp(join(tmpdir(), "svc-ids-"));
});
afterAll(() => rm(home, { recursive: true }));

async function offered(line: string, options: CliOptions = {}): Promise<{ lines: string[]; requests: number }> {
  const { env, ...others } = options;
  const result = await runCli(["__complete"], {
    service,
    cwd: home,
    stdin: line,
    env: { HOME: home, ...env },
    ...others,
  });
  expect([result.code, result.stderr]).toEqual([0, ""]);
  return { lines: result.stdout.split("\n").filter(Boolean), requests: result.requests.length };
}

it.each([
  ["svc users get ", USERS],
  [`svc users get ${GRACE}`, [`${GRACE}\tgrace@navy.test`]],
  ["svc users get c", ["charles@acme.test\tCharles Babbage"]],
  ["svc users get Charles", []],
  ["svc users delete ", USERS],
  [`svc users delete ${ADA} ${CHARLES}`, [`${CHARLES}\tcharles@acme.test`]],
  ["svc users delete c", ["charles@acme.test\tCharles Babbage"]],
  ["svc users list --after 0", USERS],
  [`svc sessions search --user ${GRACE}`, [`${GRACE}\tgrace@navy.test`]],
  ["svc dev token --user g", ["grace@navy.test\tGrace Hopper"]],
  ["svc dev users update charles@", ["charles@acme.test\tCharles Babbage"]],
  [
    "svc sessions get svc_session_00000000-0000-4000-8000-00000000a001",
    ["svc_session_00000000-0000-4000-8000-00000000a001\tada@acme.test, google"],
  ],
  ["svc users get no*such", []],
  ["svc users get '$(id)'", []],
])("completion of %j offers values from the service", async (line, values) => {
  const { lines, requests } = await offered(line);
  expect(lines).toEqual(values);
  expect(requests).toBeLessThanOrEqual(2);
});

it("completion escapes control characters in the names of users", async () => {
  const [acme] = SEED.instances;
  const users = [{ id: NOBODY, email: "eve@acme.test", name: "\u001b[2JEve\tEve" }];
  const other = await setup({ seed: { instances: [{ ...acme, users }] } });
  const { lines } = await offered("svc users get e", { service: other });
  expect(lines).toEqual(["eve@acme.test\t\\u{1b}[2JEve\\u{9}Eve"]);
});

it("completion offers no ids and prints nothing when the service fails", async () => {
  expect(await offered("svc users get ", { env: { SVC_SECRET_KEY: `${KEY}x` } })).toEqual({ lines: [], requests: 1 });
  const broken = (): Promise<never> => Promise.reject(new Error("broken"));
  expect((await offered("svc users get ", { fetch: broken })).lines).toEqual([]);
});

it("completion gives up on a service that accepts a connection and never answers", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  onTestFinished(() => void silent.close());
  const SVC_BASE_URL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const context = createContext({
    stdin: "svc users get ",
    cwd: home,
    env: { HOME: home, SVC_BASE_URL, SVC_SECRET_KEY: KEY, SVC_TIMEOUT: "600", SVC_WAIT: "600" },
  });
  expect(await main(["__complete"], { ...context, fetch: undefined })).toBe(0);
  expect(context.written).toEqual({ stdout: "", stderr: "" });
});

it("completion does not wait for a local server that has stopped", async () => {
  const cwd = join(home, "stopped");
  await mkdir(cwd);
  await leaveTrace(cwd);
  const env = { SVC_BASE_URL: undefined, SVC_SECRET_KEY: undefined, SVC_WAIT: "600" };
  expect(await offered("svc users get ", { cwd, env })).toEqual({ lines: [], requests: 0 });
});

it("completion does not read a key from a keyring or a command, which could prompt the user", async () => {
  const base_url = "https://acme.example.com";
  await writeProfile(createContext({ env: { HOME: home } }), "locked", {
    base_url,
    secret_key: { store: "keyring", origin: base_url },
  });
  const refuse = (): never => expect.fail("the keyring was opened");
  const keyring = { get: refuse, set: refuse, delete: refuse };
  const env = { SVC_BASE_URL: undefined, SVC_SECRET_KEY: undefined };
  const byProfile = await offered("svc users get --profile locked ", { env, keyring });
  const byCommand = await offered("svc users get ", {
    env: { SVC_BASE_URL: base_url, SVC_SECRET_KEY: undefined, SVC_SECRET_KEY_COMMAND: "exit 1" },
  });
  for (const { lines, requests } of [byProfile, byCommand]) expect([lines, requests]).toEqual([[], 0]);
});

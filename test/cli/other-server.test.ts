import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { writeRunning } from "../_server-file.ts";
import { CONTROL_KEY, setup, type Service } from "../_setup.ts";
import { runCli, type CliResult } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";

let service: Service;
let cwd: string;

beforeEach(async () => {
  service = await setup({ control: true });
  cwd = temporaryDirectory();
  const { acme, addresses } = service;
  await writeRunning(cwd, {
    url: addresses.front,
    api_url: addresses.api,
    control_key: CONTROL_KEY,
    instances: [{ ...acme, url: addresses.instanceUrl(acme) }],
  });
  const profiles = join(cwd, "config", "profiles");
  mkdirSync(profiles, { recursive: true });
  for (const [name, base_url] of [
    ["production", "https://acme.example.com"],
    ["here", addresses.instanceUrl(acme)],
  ])
    writeFileSync(join(profiles, `${name}.json`), JSON.stringify({ base_url }));
});

/** In the directory of a server, with acme's key alone in no variable. */
function run(line: string, env: Record<string, string>): Promise<CliResult> {
  const only = { SVC_BASE_URL: undefined, SVC_SECRET_KEY: undefined, SVC_CONFIG_DIR: join(cwd, "config") };
  return runCli(line.split(" "), { service, cwd, env: { ...only, ...env } });
}

const ELSEWHERE: readonly (readonly [variable: string, env: Record<string, string>])[] = [
  ["SVC_PROFILE", { SVC_PROFILE: "production" }],
  ["SVC_BASE_URL", { SVC_BASE_URL: "https://acme.example.com", SVC_SECRET_KEY: "sk_x" }],
  ["SVC_BASE_URL", { SVC_BASE_URL: "http://localhost:1" }],
  ["SVC_SECRET_KEY", { SVC_SECRET_KEY: "sk_of_another_service" }],
];
const COMMANDS = [
  "sessions prune --before 1d --yes",
  "dev keys rotate --yes",
  "dev users update ada@acme.test --name Eve",
  "dev reset --all --yes",
  "dev clock",
  "logs --failed",
  "open dashboard",
];

describe.each(ELSEWHERE)("With %s of another service, %j,", (variable, env) => {
  it.each(COMMANDS)("svc %s does nothing at the server of the directory", async (line) => {
    const { code, stdout, stderr, requests } = await run(line, env);
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).toContain(`✗ ${variable} `);
    expect(stderr).toContain("and the server of this directory is http://localhost:7820. Nothing was done.\n");
    expect(stderr).toContain(`unset ${variable}`);
    expect(stderr).not.toContain("sk_");
  });
});

it.each(COMMANDS)("svc %s --profile of another service does nothing at the server of the directory", async (line) => {
  const { code, stdout, stderr, requests } = await run(`${line} --profile production`, {});
  expect([code, stdout, requests]).toEqual([2, "", []]);
  expect(stderr).toContain("--profile names https://acme.example.com, and the server of this directory is");
});

it.each([
  ["nothing", {}],
  ["its profile", { SVC_PROFILE: "here" }],
  ["its address", { SVC_BASE_URL: "http://acme.localhost:7820" }],
  ["its address in numbers, over a profile", { SVC_BASE_URL: "http://127.0.0.1:7820", SVC_PROFILE: "production" }],
  ["its key", { SVC_SECRET_KEY: "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz" }],
  ["the control API", { SVC_CONTROL_URL: "http://localhost:7820", SVC_CONTROL_KEY: CONTROL_KEY, SVC_PROFILE: "here" }],
])("With %s named, commands use the server of the directory", async (_, env) => {
  const { code, stdout } = await run("dev clock --json", env);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { mode: "real" }]);
});

it("A profile of SVC_PROFILE is still not named enough to delete with --yes", async () => {
  const { code, stderr } = await run("users delete ada@acme.test --yes", {
    SVC_PROFILE: "here",
    SVC_SECRET_KEY: service.acme.secret_key,
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--yes does not delete from the profile of SVC_PROFILE")]);
});

it("Logs and a changed user name the server that they are of", async () => {
  const here = "http://localhost:7820 (the server of this directory)";
  expect(await run("logs --failed", {})).toMatchObject({ code: 0, stderr: `Logs of ${here}\n` });
  expect(await run("logs --json", {})).toMatchObject({ code: 0, stderr: "" });
  const changed = await run("dev users update ada@acme.test --name Eve", {});
  expect(changed).toMatchObject({
    code: 0,
    stderr: "Updated ada@acme.test of acme (http://localhost:7820, the server of this directory).\n",
  });
});

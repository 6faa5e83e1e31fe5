import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestService, type TestService } from "../../src/testing/index.ts";
import { ROOT } from "../_paths.ts";

const run = promisify(execFile);
const PACKAGES = ["vitest@4", "jsdom@29", "happy-dom@21", "jest@30", "jest-environment-jsdom@30"];

/** A test by each way in, as an application has it. All of them are correct in Node's environment. */
const ENTRIES = {
  createTestService: `const svc = await createTestService();
    expect((await svc.client().tokens.check((await svc.signIn({ as: "ada" })).token)).ok).toBe(true);
    await svc.close();`,
  startTestService: `const svc = await startTestService();
    expect((await svc.client().tokens.check((await svc.signIn({ as: "ada" })).token)).ok).toBe(true);
    await svc.close();`,
  connect: `const svc = await connect({ url: process.env.KIT_URL, controlKey: process.env.KIT_KEY, isolate: true });
    expect((await svc.client().tokens.check((await svc.signIn({ as: "ada" })).token)).ok).toBe(true);
    await svc.close();`,
};
type Entry = keyof typeof ENTRIES | "fixtures";

let directory: string;
let service: TestService;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-environments-"));
  const npm = (cwd: string, ...args: string[]): Promise<{ stdout: string }> =>
    run("npm", [...args, "--no-audit", "--no-fund", "--prefer-offline"], { cwd });
  const { stdout } = await npm(ROOT, "pack", "--ignore-scripts", "--json", "--pack-destination", directory);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }');
  await npm(directory, "install", join(directory, filename), ...PACKAGES);
  const fixtures = `import { test } from "svc-identity/testing/vitest";
    test("fixtures", async ({ svc, expect }) => expect(await svc.signIn({ as: "ada" })).toHaveProperty("token"));`;
  await writeFile(join(directory, "fixtures.test.js"), fixtures);
  for (const [name, body] of Object.entries(ENTRIES)) {
    const imports = `import { ${name} } from "svc-identity/testing";`;
    await writeFile(join(directory, `${name}.test.js`), `${imports} test("${name}", async () => { ${body} });`);
  }
  service = await startTestService();
}, 600_000);
afterAll(async () => {
  await service?.close();
  await rm(directory, { recursive: true, force: true });
});

/** What a runner says of the test of an entry. */
async function runIn(environment: string, entry: Entry): Promise<string> {
  const [runner, name] = environment.split(" ") as ["vitest" | "jest", string];
  const patient = ["--testTimeout", "60000"];
  const args = {
    vitest: ["run", "--globals", ...patient, "--environment", name],
    jest: [...patient, "--env", name, "--runTestsByPath"],
  };
  const env = {
    ...process.env,
    NO_COLOR: "1",
    KIT_URL: service.url,
    KIT_KEY: service.controlKey,
    NODE_OPTIONS: runner === "jest" ? "--experimental-vm-modules" : "",
  };
  const program = join(directory, "node_modules", ".bin", runner);
  return run(program, [...args[runner], `${entry}.test.js`], { cwd: directory, env }).then(
    () => "passes",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

const IN_NODE = "Run this file in Node's own environment";

it.each<[environment: string, entry: Entry, says: string]>([
  ["vitest node", "createTestService", "passes"],
  ["vitest node", "startTestService", "passes"],
  ["vitest node", "connect", "passes"],
  ["vitest node", "fixtures", "passes"],
  ["vitest jsdom", "createTestService", "passes"],
  ["vitest jsdom", "startTestService", "passes"],
  ["vitest jsdom", "connect", "passes"],
  ["vitest jsdom", "fixtures", "passes"],
  ["vitest happy-dom", "createTestService", IN_NODE],
  ["vitest happy-dom", "startTestService", IN_NODE],
  ["vitest happy-dom", "connect", "passes"],
  ["vitest happy-dom", "fixtures", IN_NODE],
  ["jest node", "createTestService", "passes"],
  ["jest node", "startTestService", "passes"],
  ["jest node", "connect", "passes"],
  ["jest jsdom", "createTestService", IN_NODE],
  ["jest jsdom", "startTestService", IN_NODE],
  ["jest jsdom", "connect", IN_NODE],
])("In %s, a test with %s: %s", async (environment, entry, says) => {
  expect(await runIn(environment, entry)).toContain(says);
});

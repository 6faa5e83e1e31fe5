// Below the faces: what is a command in a sentence is a rule of many rows.
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { asRun } from "../../src/cli/output/text.ts";
import { textReport } from "../../src/cli/commands/serve/report.ts";
import { createContext, runCli, type CliResult } from "../_cli.ts";
import { commandPaths } from "../_every-command.ts";
import { svc, useDevServer } from "../_dev-server.ts";

const NPX = { npm_command: "exec" };

let cwd: string;

useDevServer();
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "svc-npx-"));
});

it("every command is named as npx runs it", async () => {
  const commands = (await commandPaths()).filter((path) => path.split(" ").length === 2);
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.map((command) => asRun(`Run: ${command}`, { env: NPX }))).toEqual(
    commands.map((command) => `Run: ${command.replace("svc", "npx svc-identity")}`),
  );
});

it.each([
  "What svc acknowledges can be lost.",
  "/tmp/x is not an svc store.",
  "svc and browsers do.",
  "the schema svc contains x",
])("the name of the program is left alone: %s", (sentence) => expect(asRun(sentence, { env: NPX })).toBe(sentence));

it("svc dev reset says how to undo it", async () => {
  const undo = async (env: Record<string, string>): Promise<string> =>
    (await svc("dev reset --all --yes", { env })).stderr;
  expect(await undo(NPX)).toContain("\nTo undo this: npx svc-identity dev snapshot restore previous-1\n");
  expect(await undo({})).toContain("\nTo undo this: svc dev snapshot restore previous-2\n");
});

it("the message of an error names the command to keep what is left of a store with", async () => {
  await writeFile(join(cwd, "app.json"), '{"name":"app"}');
  await writeFile(join(cwd, "app.journal"), "\n");
  const read = (env: Record<string, string>): Promise<CliResult> =>
    runCli(["store", "export", "--store", "app.json"], { cwd, env });
  const { stderr } = await read(NPX);
  expect(stderr).toContain("app.json: not a store: its heading is missing, or not whole.");
  expect(stderr).toContain(" with: npx svc-identity store export --readable --store ");
  expect((await read({})).stderr).toContain(" with: svc store export --readable --store ");
});

it("a warning of svc serve names the command that changes an instance", () => {
  const context = createContext({ env: NPX });
  textReport(context).warn("To change an instance, use svc dev instances update.");
  expect(context.written.stderr).toBe("To change an instance, use npx svc-identity dev instances update.\n");
});

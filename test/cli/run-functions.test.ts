import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { runApi } from "../../src/cli/commands/api.ts";
import { runCompletion } from "../../src/cli/commands/completion/index.ts";
import { runDoctor } from "../../src/cli/commands/doctor/index.ts";
import { runResolve } from "../../src/cli/commands/instances.ts";
import { runList as runProfiles } from "../../src/cli/commands/profiles.ts";
import { runCheck } from "../../src/cli/commands/store/check.ts";
import { runWhoami } from "../../src/cli/commands/whoami.ts";
import { EXIT } from "../../src/cli/errors.ts";
import type { Context } from "../../src/cli/context.ts";
import { writeCurrent, writeProfile } from "../../src/cli/credentials/profiles.ts";
import { createContext } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { setup } from "../_setup.ts";

const COMMANDS = new URL("../../src/cli/commands/", import.meta.url);

it("Every command has a run function that its definition calls", async () => {
  for (const file of await readdir(COMMANDS, { recursive: true })) {
    if (!file.endsWith(".ts")) continue;
    const source = await readFile(new URL(file, COMMANDS), "utf8");
    expect([file, source.includes(".action(")]).toEqual([file, false]);
    const definitions = [...source.matchAll(/^ +runs\(/gm)];
    const called = [...source.matchAll(/^ +runs\(.*?\b(run[A-Z]\w*)/gms)].map(([, name]) => name!);
    expect([file, called.length]).toEqual([file, definitions.length]);
    const defined = [...source.matchAll(/^export (?:async )?function (run\w+)(?:<[^(]+>)?\(/gm)].map(
      ([, name]) => name!,
    );
    expect([file, called]).toEqual([file, called.filter((name) => defined.includes(name))]);
  }
});

it.each<[name: string, run: (context: Context, publishableKey: string) => Promise<number | void>, shown: object]>([
  ["api", (context) => runApi(context, {}, "get", "/api/v1/users?limit=1"), [{ resource: "user" }]],
  ["instances resolve", (context, key) => runResolve(context, { json: true }, key), { resource: "instance" }],
  ["doctor", (context) => runDoctor(context, { json: true }), { checks: expect.anything() }],
  ["whoami", (context) => runWhoami(context, { json: true }), { secret_key: expect.anything() }],
])("svc %s runs without parsed arguments", async (_, run, shown) => {
  const service = await setup();
  const context = createContext({ service });
  await run(context, service.acme.publishable_key);
  expect(JSON.parse(context.written.stdout)).toMatchObject(shown);
});

it("Profiles can be listed without parsed arguments", async () => {
  const context = createContext({ env: { SVC_CONFIG_DIR: temporaryDirectory() } });
  await writeProfile(context, "staging", { base_url: "https://acme.example.com" });
  await writeCurrent(context, "staging");
  await runProfiles(context, { output: "csv" });
  expect(context.written.stdout).toContain("\nstaging,");
});

it("A command that only prints needs only an output stream", async () => {
  const context = createContext();
  await runCompletion(context, "bash");
  expect(context.written.stdout).toContain("complete");
});

it("svc store check returns the exit code of its result", async () => {
  const cwd = temporaryDirectory();
  const context = createContext({ cwd });
  await expect(runCheck(context, { store: "db.json" })).rejects.toThrow("There is no store");
  const { openFileStore } = await import("../../src/server/store/file/file-store.ts");
  await (await openFileStore(`${cwd}/db.json`, { warn: () => {} })).close();
  expect(await runCheck(context, { store: "db.json" })).toBe(EXIT.done);
});

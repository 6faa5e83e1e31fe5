import { join } from "node:path";
import { expect, it } from "vitest";
import { serve } from "../../src/server/index.ts";
import type { CliResult } from "../_cli.ts";
import { server, signIn, svc, useDevServer } from "../_dev-server.ts";
import { everyCommand } from "../_every-command.ts";
import { temporaryDirectory } from "../_files.ts";
import { ROOT } from "../_paths.ts";
import { writeRunning } from "../_server-file.ts";
import { NOBODY } from "../_setup.ts";

useDevServer();

/** Commands whose output is another program's, and those that print no JSON of their own. */
const WITHOUT = ["svc api", "svc exec", "svc completion", "svc help"];
/** Started for good: what it prints is in test/cli/bin.test.ts. */
const RUNS_ON = "svc serve";
/** Takes a database, and no file: what it prints is in test/postgres. */
const OF_A_DATABASE = "svc store migrate";

/** Objects whose names are data. */
const FREE = new Set(["geo_data", "connections", "sent", "answered", "headers", "body", "answer"]);

/** Names of fields, and what is below them. `[…]` is a list, `?` a field that some of the values lack. */
function shapeOf(values: readonly unknown[]): string {
  const lists = values.filter((value) => Array.isArray(value));
  if (lists.length > 0) return `[${shapeOf(lists.flat())}]`;
  const objects = values.filter((value) => typeof value === "object" && value !== null) as Record<string, unknown>[];
  if (objects.length === 0) return "";
  const fields = [...new Set(objects.flatMap(Object.keys))].map((name) => {
    const own = objects.filter((object) => Object.hasOwn(object, name));
    const below = FREE.has(name) ? "{…}" : shapeOf(own.map((object) => object[name]));
    return `${name}${own.length < objects.length ? "?" : ""}${below && `: ${below}`}`;
  });
  return `{ ${fields.join(", ")} }`;
}

/** The shape of each kind of resource in the output of a command. */
function shapesIn(printed: readonly unknown[]): string {
  const kindOf = (value: unknown): unknown => (value as { resource?: unknown }).resource;
  const kinds = [...new Set(printed.map(kindOf))].map((kind) => printed.filter((value) => kindOf(value) === kind));
  return kinds.map((values) => shapeOf(values)).join(" or ");
}

it("Every command's JSON has the form in fixtures/json-forms.txt, and every command that prints JSON is there", async () => {
  const cwd = temporaryDirectory();
  const { url, api_url, instances, control_key } = server;
  const [acme] = instances;
  const own = {
    HOME: cwd,
    SVC_BASE_URL: url,
    SVC_SECRET_KEY: acme!.secret_key,
    SVC_API_URL: url,
    SVC_PUBLISHABLE_KEY: acme!.publishable_key,
  };
  const ofNone = { SVC_BASE_URL: undefined, SVC_SECRET_KEY: undefined, SVC_PUBLISHABLE_KEY: undefined };
  const run = (args: string, stdin = ""): Promise<CliResult> =>
    svc(args.split(" ").filter(Boolean), {
      cwd,
      stdin,
      // An instance is chosen by one of the two.
      env: args.includes("--instance") ? { ...own, ...ofNone } : own,
    });
  await writeRunning(cwd, { url, api_url, instances, control_key });
  await (await serve({ port: 0, store: join(cwd, "own/db.json") })).close();
  await run("dev next github --as ada");
  const token = (await signIn("github")).searchParams.get("token")!;
  const sessions = JSON.parse((await run("sessions list --json")).stdout) as { data: { session_id: string } }[];
  const session = sessions[0]!.data.session_id;

  const rows: readonly (readonly [command: string, args?: string, stdin?: string])[] = [
    ["svc users get", "ada@acme.test"],
    ["svc users list"],
    ["svc users search", "email:ada@acme.test"],
    ["svc users search --explain", "email:ada@acme.test"],
    ["svc users delete --dry-run", "ada@acme.test"],
    ["svc users delete", `${NOBODY} charles@acme.test --yes --receipt r`],
    ["svc sessions get", session],
    ["svc sessions list", "--limit 1"],
    ["svc sessions search", "--active --limit 1"],
    ["svc sessions prune", "--before 2000-01-01 --yes"],
    ["svc tokens verify", "", token],
    ["svc tokens verify --batch", "", token],
    ["svc tokens decode", "", token],
    ["svc login", `--base-url ${url} --insecure-storage --profile one`, acme!.secret_key],
    ["svc profiles list"],
    ["svc profiles use", "one"],
    ["svc whoami"],
    ["svc logout", "--profile one"],
    ["svc logout --forget", "--profile one"],
    ["svc init"],
    ["svc sign-in", "--provider github --as ada"],
    ["svc open", "dashboard --print"],
    ["svc dev next", "github --as ada"],
    ["svc dev scenarios"],
    ["svc dev clock show"],
    ["svc dev clock freeze"],
    ["svc dev clock set", "2027-01-01"],
    ["svc dev clock advance", "1h"],
    ["svc dev clock resume"],
    ["svc dev clock reset"],
    ["svc dev token", "--user ada@acme.test"],
    ["svc dev token --all", "--user ada@acme.test"],
    ["svc dev snapshot save", "one"],
    ["svc dev snapshot list"],
    ["svc dev snapshot restore", "one --yes"],
    ["svc dev snapshot delete", "one --yes"],
    ["svc dev seed", "--generate 2"],
    ["svc dev users create", "bo@acme.test"],
    ["svc dev users update", "bo@acme.test --name Bo"],
    ["svc dev sessions revoke", `${session} --yes`],
    ["svc dev sessions restore", session],
    ["svc dev instances list"],
    ["svc dev instances create", "umbrella"],
    ["svc dev instances update", "umbrella --name Umbrella"],
    ["svc dev instances delete", "umbrella --yes"],
    ["svc dev keys rotate", "--instance globex --keep-old 1h --yes"],
    ["svc dev keys revoke-old", "--instance globex --yes"],
    ["svc dev reset", "--all --yes"],
    ["svc logs", "--limit 1"],
    ["svc env"],
    ["svc instances list"],
    ["svc instances resolve", acme!.publishable_key],
    ["svc store check", "--store own/db.json"],
    ["svc store copy", "own/db.json other/db.json"],
    ["svc store export", "--output-file out.ndjson --store own/db.json"],
    ["svc store import", "out.ndjson --store new/db.json"],
    ["svc doctor"],
  ];
  const lines: string[] = [];
  const failed: unknown[] = [];
  for (const [command, args = "", stdin = ""] of rows) {
    const line = `${command.slice("svc ".length)} ${args} --json`.replaceAll(/ +/g, " ");
    const { code, stdout, stderr } = await run(line, stdin);
    const printed = stdout.trim().split("\n");
    try {
      const shapes = shapesIn(printed.map((text) => JSON.parse(text) as unknown));
      lines.push(`${command}: ${shapes}${/^logs|--batch/.test(line) ? ", one a line" : ""}`);
    } catch {
      failed.push([line, code, stdout.slice(0, 200), stderr.slice(0, 300)]);
    }
  }
  expect(failed).toEqual([]);
  const { stderr } = await run(`users get ${NOBODY} --json`);
  lines.push(`an error, on standard error: ${shapesIn([JSON.parse(stderr)])}`);

  const named = rows.map(([command]) => command);
  const leaves = (await everyCommand())
    .map(({ path }) => ["svc", ...path].join(" "))
    .filter((command, _, all) => !all.some((other) => other.startsWith(`${command} `)));
  const missing = leaves.filter((command) => ![RUNS_ON, OF_A_DATABASE, ...WITHOUT, ...named].includes(command));
  expect(missing).toEqual([]);

  // `npx vitest run test/cli/json-shapes.test.ts -u` writes it.
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(join(ROOT, "fixtures/json-forms.txt"));
});

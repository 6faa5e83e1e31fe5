import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as z from "zod";
import { afterEach, describe, expect, it } from "vitest";
import { ROUTES } from "../src/server/routes/index.ts";
import { Seed } from "../src/server/seed/schema.ts";
import { parseSeed } from "../src/server/seed/index.ts";
import { runCli } from "./_cli.ts";

const run = promisify(execFile);
const root = new URL("..", import.meta.url);

describe("the arrows between folders", () => {
  // Beside the real ones, because the rules go by path.
  const broken: string[] = [];
  afterEach(async () => {
    for (const file of broken.splice(0)) await rm(new URL(file, root), { force: true });
  });

  it.each([
    ["src/wire/zz-arrow.ts", `export { createClient as x } from "../client/client.ts";`],
    ["src/wire/zz-arrow.ts", `export { hash as x } from "node:crypto";`],
    ["src/client/zz-arrow.ts", `export type { Store as x } from "../server/store/store.ts";`],
    ["src/client/zz-arrow.ts", `export { H3 as x } from "h3";`],
    ["src/server/zz-arrow.ts", `export { createClient as x } from "../client/client.ts";`],
    ["src/server/zz-arrow.ts", `export { H3 as x } from "h3";`],
    ["src/server/sign-in/zz-arrow.ts", `export { ROUTES as x } from "../routes/index.ts";`],
    ["src/server/store/zz-arrow.ts", `export { createService as x } from "../service.ts";`],
    ["src/cli/commands/zz-arrow.ts", `export { serve as x } from "../../server/index.ts";`],
    ["src/cli/commands/store/zz-arrow.ts", `export { H3 as x } from "h3";`],
    ["src/cli/zz-arrow.ts", `export { Chalk as x } from "chalk";`],
    ["src/cli/zz-arrow.ts", `export { Entry as x } from "@napi-rs/keyring";`],
    ["src/cli/zz-arrow.ts", `export const x = process.env;`],
    ["src/server/routes/zz-arrow.ts", `export const x = (): Promise<unknown> => import("../../cli/main.ts");`],
  ])("the linter refuses in %s: %s", async (file, code) => {
    broken.push(file);
    await writeFile(new URL(file, root), `${code}\n`);
    const { stdout } = await run("node_modules/.bin/oxlint", ["--format", "unix", file], { cwd: root }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toMatch(/no-restricted-imports|no-process-env/);
  });
});

describe("the README", () => {
  it("lists every route of the specification, and no other", async () => {
    const readme = await readFile(new URL("README.md", root), "utf8");
    const listed = [...readme.matchAll(/^\| `((?:GET|POST|DELETE) \/[^`]*)` +\|/gm)].map(([, route]) => route);
    const served = Object.keys(ROUTES).filter((route) => !/ \/$|__svc|^OPTIONS/.test(route));
    expect(listed.toSorted()).toEqual(served.toSorted());
  });
});

describe("docs/cli.md", () => {
  // `npm run docs` writes it anew.
  it("is what the commands say of themselves", async () => {
    const { stdout } = await runCli(["help", "--map", "markdown"]);
    expect(await readFile(new URL("docs/cli.md", root), "utf8")).toBe(stdout);
  });
});

describe("the fixtures", () => {
  // `npx vitest run test/structure.test.ts -u` writes it anew.
  it("describe a seed file just as it is checked", async () => {
    const schema = `${JSON.stringify(z.toJSONSchema(Seed, { io: "input" }), null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot("../fixtures/seed.schema.json");
  });

  it("hold a demo with every provider value, active and revoked sessions, and six personas", async () => {
    const records = parseSeed(await readFile(new URL("fixtures/demo.json", root), "utf8"), "demo", new Date());
    expect(records.instances).toHaveLength(2);
    expect([...new Set(records.sessions.map((session) => session.provider))].toSorted()).toEqual([
      "github",
      "google",
      "password",
      "twitter",
    ]);
    expect(new Set(records.sessions.map((session) => session.revoked_at === null))).toEqual(new Set([true, false]));
    expect(records.personas).toHaveLength(6);
  });
});

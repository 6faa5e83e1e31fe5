// Below the faces: the pages are compared with the tables behind them.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { describe, expect, it } from "vitest";
import { SeedFile, parseSeed } from "../../src/server/seed/parse.ts";
import { CONTROL_ROUTES } from "../../src/wire/control/routes.ts";
import { PRODUCT_ROUTES } from "../../src/wire/product/routes.ts";
import type { RouteDefinition } from "../../src/wire/route.ts";
import { TOPICS } from "../../src/cli/help/topics.ts";
import { commandPaths } from "../_every-command.ts";
import { needs } from "../_machine.ts";

const root = new URL("../..", import.meta.url);

describe("docs/api.md", () => {
  it("lists exactly the routes of the specification", async () => {
    const [page = ""] = (await readFile(new URL("docs/api.md", root), "utf8")).split("## The control API");
    const listed = [...page.matchAll(/^\| `((?:GET|POST|DELETE) \/[^`]*)` +\|/gm)].map(([, route]) => route);
    expect(listed.toSorted()).toEqual(Object.keys(PRODUCT_ROUTES).toSorted());
  });

  it("has a row for each route of the control API, with the sentence of its definition", async () => {
    const page = await readFile(new URL("docs/api.md", root), "utf8");
    const [, section = ""] = page.split("## The control API");
    const listed = [...section.matchAll(/^\| `([A-Z]+ \/[^`]*)` +\| (.*?) +\|$/gm)].map(([, route, does]) => [
      route,
      does,
    ]);
    const rows = Object.entries<RouteDefinition>(CONTROL_ROUTES).map(([route, { does }]) => [route, does]);
    expect(listed).toEqual(rows);
  });
});

describe("docs/client.md", () => {
  it("names the method of every endpoint", async () => {
    const page = await readFile(new URL("docs/client.md", root), "utf8");
    const methods = Object.values<RouteDefinition>(PRODUCT_ROUTES).flatMap(({ method = [] }) => method);
    const unnamed = methods.filter((method) => {
      const [noun, verb] = method.split(".");
      // The first of a noun has its name in front.
      return !page.split(/[;:]/).some((list) => list.includes(`\`${noun}`) && list.includes(`${verb ?? noun}\``));
    });
    expect(unnamed).toEqual([]);
    expect(methods).toContain("tokens.verify");
  });
});

describe(".ci/cli-reference.js", () => {
  it("writes a section for every command and topic", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [".ci/cli-reference.js"], { cwd: root });
    const sections = [...stdout.matchAll(/^## (svc.*)$/gm)].map(([, title]) => title!);
    const topics = Object.keys(TOPICS).map((name) => `svc help ${name}`);
    expect(sections).toEqual([...(await commandPaths()), ...topics]);
  });
});

it("The root shows at most 20 entries, with what a build and npm add", needs("a clone, and git"), async () => {
  const { stdout } = await promisify(execFile)("git", ["ls-files"], { cwd: root });
  const tracked = stdout.split("\n").map((path) => path.split("/")[0]!);
  const entries = new Set([...tracked, "dist", "llms.txt", "node_modules"].filter((name) => /^[^.]/.test(name)));
  expect(entries.size, [...entries].join(" ")).toBeLessThanOrEqual(20);
});

describe("The fixtures", () => {
  // `npx vitest run test/project/structure.test.ts -u` writes it.
  it("include a JSON Schema that matches the validation of seeds", async () => {
    const schema = `${JSON.stringify(z.toJSONSchema(SeedFile, { io: "input" }), null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot("../../fixtures/seed.schema.json");
  });

  it("include a demo with every provider value, active and revoked sessions, and eight personas", async () => {
    const records = parseSeed(await readFile(new URL("fixtures/demo.json", root), "utf8"), "demo", new Date());
    expect(records.instances).toHaveLength(2);
    expect([...new Set(records.sessions.map((session) => session.provider))].toSorted()).toEqual([
      "github",
      "google",
      "password",
      "twitter",
    ]);
    expect(new Set(records.sessions.map((session) => session.revoked_at === null))).toEqual(new Set([true, false]));
    expect(records.personas).toHaveLength(8);
  });
});

// Below the faces: what the help must name is in tables.
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ENVIRONMENT } from "../../src/cli/help/environment.ts";
import { EXIT } from "../../src/cli/errors.ts";
import { run, useDirectory } from "../_cli-directory.ts";

useDirectory();

interface MapEntry {
  command: string;
  description: string;
  examples: { command: string }[];
  commands: MapEntry[];
}

describe("svc help", () => {
  it("lists every command with a description, and each has examples", async () => {
    const { code, stdout } = await run(["help", "--json"]);
    expect(code).toBe(0);
    const flat = (entry: MapEntry): MapEntry[] => [entry, ...entry.commands.flatMap(flat)];
    const map = JSON.parse(stdout) as MapEntry & { exit_codes: object };
    expect(Object.keys(map.exit_codes).map(Number)).toEqual(Object.values(EXIT));
    const all = flat(map);
    const own =
      /^svc (?:users \w+|sessions \w+|tokens \w+|init|login|logout|whoami|profiles|api|open|doctor|completion|version|help|instances|serve|sign-in)\b/;
    for (const { command, description, examples } of all.filter(
      (entry) => own.test(entry.command) && entry.commands.length === 0,
    )) {
      expect([command, description !== "", examples.length > 0]).toEqual([command, true, true]);
    }
    expect(all.filter(({ command }) => own.test(command)).length).toBeGreaterThan(20);
  });

  it("for a command prints the command's own help", async () => {
    for (const path of [["users"], ["users", "search"], ["login"], []])
      expect((await run(["help", ...path])).stdout).toBe((await run([...path, "--help"])).stdout);
  });

  it("names every environment variable that svc reads", async () => {
    const read = new Set<string>();
    for (const file of await readdir(new URL("../../src/cli", import.meta.url), { recursive: true })) {
      if (!file.endsWith(".ts") || file === "help/topics.ts") continue;
      const source = await readFile(new URL(`../../src/cli/${file}`, import.meta.url), "utf8");
      for (const [, name] of source.matchAll(/(?:env\[|variable\(|checkPort\(env\[)"(SVC_\w+)"/g)) read.add(name!);
    }
    const { stdout } = await run(["help", "environment"]);
    expect([...read].filter((name) => !stdout.includes(name))).toEqual([]);
    expect(read.size).toBeGreaterThan(10);
    expect(Object.keys(ENVIRONMENT).every((name) => stdout.includes(name))).toBe(true);
  });
});

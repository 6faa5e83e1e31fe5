import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

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

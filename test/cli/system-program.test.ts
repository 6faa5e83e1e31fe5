// Below the faces: the rule is for Windows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemProgram } from "../../src/cli/process-context.ts";

const SOURCE = new URL("../../src/cli", import.meta.url).pathname;

it.each([
  [{ SystemRoot: "D:\\WINNT" }, "D:\\WINNT\\System32\\cmd.exe"],
  [{}, "C:\\Windows\\System32\\cmd.exe"],
  [{ SystemRoot: "" }, "C:\\Windows\\System32\\cmd.exe"],
  [{ SystemRoot: "." }, "C:\\Windows\\System32\\cmd.exe"],
  [{ SystemRoot: "\\\\evil.test\\share" }, "C:\\Windows\\System32\\cmd.exe"],
])("T62: Windows' own programs are started by their whole path, never from the current directory: %j", (env, path) => {
  expect(systemProgram("cmd.exe", env)).toBe(path);
});

it("T62: No file of the command names one of them without its path", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const named = files.flatMap((file) =>
    [...readFileSync(join(SOURCE, file), "utf8").matchAll(/\S*"[\w-]+\.(?:exe|com|cmd|bat)"/g)].map(String),
  );
  const uses = ['systemProgram("rundll32.exe"'];
  expect([...new Set(named.map((use) => use.replace(/^\[/, "")))].toSorted()).toEqual(uses);
});

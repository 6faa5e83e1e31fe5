import { expect, it } from "vitest";
import { systemProgram } from "../../src/cli/system-program.ts";

it.each([
  [{ SystemRoot: "D:\\WINNT" }, "D:\\WINNT\\System32\\cmd.exe"],
  [{}, "C:\\Windows\\System32\\cmd.exe"],
  [{ SystemRoot: "" }, "C:\\Windows\\System32\\cmd.exe"],
  [{ SystemRoot: "." }, "C:\\Windows\\System32\\cmd.exe"],
  [{ SystemRoot: "\\\\evil.test\\share" }, "C:\\Windows\\System32\\cmd.exe"],
])("T62: Windows' own programs are started by their whole path, never from the current directory: %j", (env, path) => {
  expect(systemProgram("cmd.exe", env)).toBe(path);
});

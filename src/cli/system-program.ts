import { win32 } from "node:path";

/**
 * The path of one of the system's programs on Windows. By its name alone it would be looked for in the current directory first,
 * which may be a repository that somebody else wrote.
 */
export function systemProgram(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const root = env["SystemRoot"] ?? "";
  return win32.join(/^[a-z]:\\/i.test(root) ? root : "C:\\Windows", "System32", name);
}

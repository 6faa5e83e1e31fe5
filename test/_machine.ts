import { spawnSync } from "node:child_process";
import type { TestOptions } from "vitest";
import type { Reporter, TestModule } from "vitest/node";
import { ROOT } from "./_paths.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Why the test is skipped, or does without a part of what it shows. */
    lacking?: readonly Part[];
  }
}

/** What tests need of a machine besides Node and npm, and the commands of which one succeeds where it is there. */
const PARTS = {
  "a clone, and git": [["git", "-C", ROOT, "rev-parse", "HEAD"]],
  "a keyring": [["dbus-run-session", "--", "gnome-keyring-daemon", "--version"]],
  "a terminal": [["script", "-qec", "test -t 0", "/dev/null"]],
  // Root writes there all the same, unless the file system keeps the directory as it is.
  "a directory that can't be written": [
    ["sh", "-c", '[ "$(id -u)" != 0 ] || { d=$(mktemp -d) && chattr +i "$d" && chattr -i "$d" && rmdir "$d"; }'],
  ],
  bash: [["bash", "--version"]],
  curl: [["curl", "--version"]],
  dash: [["dash", "-c", "exit"]],
  fish: [["fish", "--version"]],
  git: [["git", "--version"]],
  haproxy: ["haproxy", "/usr/sbin/haproxy"].map((program) => [program, "-v"]),
  jq: [["jq", "--version"]],
  less: [["less", "--version"]],
  prometheus: [["prometheus", "--version"]],
  promtool: [["promtool", "--version"]],
  ps: [["ps", "-o", "pid=", "-p", "1"]],
  python3: [["python3", "--version"]],
  zsh: [["zsh", "--version"]],
} as const satisfies Record<string, readonly (readonly string[])[]>;

export type Part = keyof typeof PARTS;

/** So that no test is skipped unnoticed where everything should be there. `npm test` requires nothing. */
const isComplete = Boolean(process.env["SVC_TEST_ALL"]);

const found = new Map<Part, string | undefined>();

/**
 * The program that a part of the machine is, as it answers in this environment, which is that of the tests: what a name
 * starts may depend on more than the PATH. Tests run it in the same.
 */
export function programOf(part: Part): string | undefined {
  if (found.has(part)) return found.get(part);
  const commands: readonly (readonly string[])[] = PARTS[part];
  const works = ([program = "", ...args]: readonly string[]): boolean =>
    spawnSync(program, args, { stdio: "ignore" }).status === 0;
  const program = (commands.find(works) ?? (isComplete ? commands[0] : undefined))?.[0];
  found.set(part, program);
  return program;
}

/** The options of a test that does without these where this machine lacks them, and is named at the end of the run. */
export function wants(...parts: readonly Part[]): Pick<TestOptions, "meta"> {
  return { meta: { lacking: parts.filter((part) => programOf(part) === undefined) } };
}

/** The options of a test that is skipped, and named at the end of the run, where this machine lacks one of these. */
export function needs(...parts: readonly Part[]): Pick<TestOptions, "skip" | "meta"> {
  const lacking = parts.filter((part) => programOf(part) === undefined);
  return lacking.length === 0 ? {} : { skip: true, meta: { lacking } };
}

/** Says after a run what was skipped, or not shown, for want of what. */
export class Skipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<Part, number>();
    for (const module of modules)
      for (const test of module.children.allTests())
        for (const part of test.meta().lacking ?? []) counts.set(part, (counts.get(part) ?? 0) + 1);
    const all = [...counts].map(([part, count]) => `${part} (${count} ${count === 1 ? "test" : "tests"})`);
    if (all.length > 0) console.log(`Left out, because this machine lacks it: ${all.join(", ")}`);
  }
}

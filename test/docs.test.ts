import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT_MEANINGS, EXIT_OF } from "../src/cli/exit-codes.ts";
import { ERROR_CODES, type ErrorCode } from "../src/client/errors.ts";
import { ERRORS } from "../src/wire/errors.ts";

const ROOT = join(import.meta.dirname, "..");

describe("docs/errors.md", () => {
  // `npx vitest run test/docs.test.ts -u` writes it anew.
  it("has every code, with what it means and what the command line makes of it", async () => {
    const rows = Object.entries(ERROR_CODES).map(([code, meaning]) => {
      const status = code in ERRORS ? ERRORS[code as keyof typeof ERRORS].status : "";
      return `| \`${code}\` | ${status} | ${meaning} | ${EXIT_OF[code as ErrorCode]} |`;
    });
    const exits = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `| ${code} | ${meaning} |`);
    const page = [
      "# Errors",
      "",
      "Every error of the client has a `code` that does not change; `isServiceError(error, code)` tells them apart. The",
      "service's own have the status of its answer. The command line prints `error.code` with `--json`, and ends with:",
      "",
      "| Code | Status | Means | Exit code |",
      "| --- | --- | --- | --- |",
      ...rows,
      "",
      "## Exit codes",
      "",
      "| Code | Means |",
      "| --- | --- |",
      ...exits,
      "",
    ].join("\n");
    await expect(page).toMatchFileSnapshot("../docs/errors.md");
  });
});

describe("The README's programs", () => {
  it("are right by the types of the package", async () => {
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const programs = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code!);
    expect(programs.length).toBeGreaterThanOrEqual(3);
    const directory = await mkdtemp(join(tmpdir(), "svc-docs-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    await mkdir(join(directory, "node_modules"));
    for (const name of ["@types", "jose", "undici", "undici-types", "srvx"])
      await symlink(join(ROOT, "node_modules", name), join(directory, "node_modules", name));
    await symlink(ROOT, join(directory, "node_modules/svc-identity"));
    const given = "declare const token: string, id: string, secretKey: string, baseUrl: string;\n";
    const files = await Promise.all(
      programs.map(async (code, n) => {
        const own = given.replaceAll(/(\w+): string/g, (whole, name: string) =>
          new RegExp(`const (?:\\{ )?${name}\\b`).test(code) ? `unused_${name}: string` : whole,
        );
        // A request that an application got: none of the readme's programs makes one.
        await writeFile(join(directory, `${n}.mts`), `${own}${code}\nexport {};\n`);
        return `${n}.mts`;
      }),
    );
    const options = [
      "--noEmit",
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--types",
      "node",
      "--skipLibCheck",
      "--strict",
      "false",
    ];
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    await promisify(execFile)(process.execPath, [tsc, "--ignoreConfig", ...options, ...files], {
      cwd: directory,
    }).catch((error: { stdout: string }) => expect.fail(error.stdout));
  });
});

describe("What is built", () => {
  // Twice as much would be seen in how long every command takes.
  it.each([
    ["dist/cli.cjs", 4_000],
    ["dist/cli/commands.cjs", 300_000],
    ["dist/client.js", 60_000],
    ["dist/verify.js", 8_000],
  ])("%s is no larger than %i bytes", async (file, most) => {
    expect((await stat(join(ROOT, file))).size).toBeLessThanOrEqual(most);
  });
});

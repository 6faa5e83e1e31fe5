import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLI_ERROR_MEANINGS } from "../../src/cli/help/error-codes.ts";
import { CLI_ERRORS, EXIT_MEANINGS, EXIT_OF } from "../../src/cli/exit-codes.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/client/errors.ts";
import { ERRORS } from "../../src/wire/errors.ts";
import { ROOT } from "../_paths.ts";

describe("docs/errors.md", () => {
  // `npx vitest run test/project/docs.test.ts -u` writes it.
  it("describes every error code and what the command line does with it", async () => {
    const rows = Object.entries(ERROR_CODES).map(([code, meaning]) => {
      const status = code in ERRORS ? ERRORS[code as keyof typeof ERRORS].status : "";
      return `| \`${code}\` | ${status} | ${meaning} | ${EXIT_OF[code as ErrorCode]} |`;
    });
    const own = Object.entries(CLI_ERROR_MEANINGS).map(
      ([code, meaning]) => `| \`${code}\` | ${meaning} | ${CLI_ERRORS[code as keyof typeof CLI_ERRORS]} |`,
    );
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
      "`not_found` and `instance_not_found` mean that the address of the service is wrong: exit code 2. Where a command names",
      "what is missing (a path for `svc api`, a record for `svc dev`, a profile or its setting, a publishable key for",
      "`svc instances resolve`), it ends with 3; an unknown `--instance` is 2 everywhere.",
      "",
      "The command line has these of its own. A local server that is not running is `connection`, like one elsewhere that",
      "cannot be reached; a value that the client refuses is `config`.",
      "",
      "| Code | Means | Exit code |",
      "| --- | --- | --- |",
      ...own,
      "",
      "## Exit codes",
      "",
      "| Code | Means |",
      "| --- | --- |",
      ...exits,
      "",
    ].join("\n");
    await expect(page).toMatchFileSnapshot("../../docs/errors.md");
  });
});

describe("docs/testing.md", () => {
  it("lists every data-testid of the account picker, and no other", async () => {
    const page = await readFile(join(ROOT, "src/server/http/pages/picker.ts"), "utf8");
    const ids = [...page.matchAll(/data-testid="([^"]+)"/g)].map(([, id = ""]) => id.replace("${id}", "<id>"));
    const text = await readFile(join(ROOT, "docs/testing.md"), "utf8");
    const [, table = ""] = /^\| `data-testid`.*\n\| -.*\n((?:\|.*\n)+)/m.exec(text) ?? [];
    const listed = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)]);
    expect(listed.map(([, id]) => id).toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  it("names the accounts of the demo, and no others", async () => {
    const { personas } = JSON.parse(await readFile(join(ROOT, "fixtures/demo.json"), "utf8")) as {
      personas: { id: string }[];
    };
    const page = await readFile(join(ROOT, "docs/testing.md"), "utf8");
    const [, list = ""] = /accounts\s+without a seed of your own are ([^]*?)\n\n/.exec(page) ?? [];
    expect([...list.matchAll(/`(\w+)`/g)].map(([, id]) => id)).toEqual(personas.map(({ id }) => id));
  });
});

describe("The build", () => {
  // Twice the size would slow every command noticeably.
  it.each([
    ["dist/cli/main.cjs", 4_000],
    ["dist/client.js", 60_000],
    ["dist/verify.js", 8_000],
  ])("keeps %s below %i bytes", async (file, most) => {
    expect((await stat(join(ROOT, file))).size).toBeLessThanOrEqual(most);
  });
});

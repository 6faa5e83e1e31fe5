// Below the faces: the pages are compared with the tables behind them.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERRORS_PAGE, CLI_ERRORS, EXIT_MEANINGS } from "../../src/cli/errors.ts";
import { exitOf } from "../../src/cli/failure.ts";
import { ERROR_CODES } from "../../src/client/errors.ts";
import { ERRORS, SIGN_IN_ERRORS } from "../../src/wire/errors.ts";
import { OUTCOMES } from "../../src/wire/outcomes.ts";
import { codeOfProblem, TOKEN_PROBLEMS } from "../../src/wire/claims.ts";
import { runCli } from "../_cli.ts";
import { ROOT } from "../_paths.ts";

describe("docs/errors.md", () => {
  it("has each code once, with its status, message and exit code, and each reason to refuse a token", async () => {
    const expected = [
      ...Object.keys(ERROR_CODES).flatMap((code) => {
        // They have a table of their own below.
        if (code in SIGN_IN_ERRORS) return [];
        const wire = ERRORS[code as keyof typeof ERRORS] as (typeof ERRORS)[keyof typeof ERRORS] | undefined;
        return [[code, ...(wire ? [`${wire.status} ${wire.error}`] : []), String(exitOf(code))]];
      }),
      ...Object.entries(CLI_ERRORS).map(([code, [exit]]) => [code, String(exit)]),
      ...Object.entries(EXIT_MEANINGS),
      ...Object.keys(SIGN_IN_ERRORS).map((code) => [code]),
      ...TOKEN_PROBLEMS.map((reason) => [reason, ERRORS[codeOfProblem(reason)].error]),
      ["missing", ERRORS.missing_token.error],
    ];
    const page = await readFile(join(ROOT, "docs/errors.md"), "utf8");
    const rows = [...page.matchAll(/^\| (?:<a id="\w+"><\/a>)?(`?)(\w+)\1 \| (.*) \|$/gm)]
      .filter(([, , code]) => code !== "Code" && code !== "Reason")
      .map(([, , code = "", rest = ""]) => [code, ...rest.split(" | ")]);
    // What is left of a row without its sentences on causes and remedies.
    const facts = rows.map((row) => row.filter((cell, n) => n === 0 || !cell.endsWith(".")));
    expect(facts.toSorted()).toEqual(expected.toSorted());
  });

  it("has an anchor for each code, to which errors in JSON lead", async () => {
    const page = await readFile(join(ROOT, "docs/errors.md"), "utf8");
    const anchored = [...page.matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)` \|/gm)].map(([, id, code]) => [id, code]);
    const codes = [...Object.keys(ERROR_CODES), ...Object.keys(CLI_ERRORS)];
    expect(anchored.toSorted()).toEqual(codes.map((code) => [code, code]).toSorted());
    const { stderr } = await runCli(["users", "get", "x", "--json"]);
    const { error } = JSON.parse(stderr) as { error: { code: string; docs: string } };
    expect(error.docs).toBe(`${ERRORS_PAGE}#${error.code}`);
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

  it("lists every outcome of a sign-in, with what the application sees", async () => {
    const page = await readFile(join(ROOT, "docs/testing.md"), "utf8");
    const [, table = ""] = /^\| `outcome`.*\n\| -.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
    const listed = [...table.matchAll(/^\| `(\w+)` .*`(.+)` +\|$/gm)].map(([, id, seen]) => `${id}: ${seen}`);
    const seenOf = ({ application_sees: seen }: (typeof OUTCOMES)[number]): string =>
      /"(.*)"|([a-z_]+)$/.exec(seen)!.slice(1).join("");
    expect(listed.toSorted()).toEqual(OUTCOMES.map((outcome) => `${outcome.id}: ${seenOf(outcome)}`).toSorted());
  });

  it("names the accounts of the demo, and no others", async () => {
    const { personas } = JSON.parse(await readFile(join(ROOT, "fixtures/demo.json"), "utf8")) as {
      personas: { id: string }[];
    };
    const page = await readFile(join(ROOT, "docs/testing.md"), "utf8");
    const [, list = ""] = /accounts\s+without\s+a\s+seed\s+of\s+your\s+own\s+are\s+([^]*?)\n\n/.exec(page) ?? [];
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

// Below the faces: a pure rule of a dozen names, each of which would be a sign-in and a command.

import { expect, it } from "vitest";
import { csvLine } from "../../src/text/harmless.ts";
import { locationOf, requestOn } from "../_answers.ts";
import { runCli } from "../_cli.ts";
import { APP, setup } from "../_setup.ts";

const ATTACK = "x\n=cmd|' /C calc'!A1;y";

/** The cells of CSV as a spreadsheet reads them that ends them at this character. Quotes count at the start of a cell. */
function cellsOf(text: string, separator: string): string[] {
  const cell = new RegExp(`"((?:[^"]|"")*)"[^${separator}\n]*|[^${separator}\n]*`, "y");
  const cells: string[] = [];
  for (let at = 0; at < text.length; at = cell.lastIndex + 1) {
    cell.lastIndex = at;
    const [all, quoted] = cell.exec(text)!;
    cells.push(quoted?.replaceAll('""', '"') ?? all);
    cell.lastIndex = at + all.length;
  }
  return cells;
}

it.each([
  ATTACK,
  ATTACK.replace("\n", "\r\n"),
  ATTACK.replace("\n", "\r"),
  "x\u2028=1",
  "=1",
  "\t=1",
  "\u200b=1",
  "x;=1",
  "x; @SUM(1)",
  '"=1',
  'x";=1',
  "\n=1",
  "\n\n-1;\n+1",
])("T51: no cell of CSV is a formula, whatever a spreadsheet ends cells at: %j", (name) => {
  const text = csvLine(["ada", name, "ada@acme.test"]);
  expect(text.split("\n")).toHaveLength(2);
  for (const separator of [",", ";", "\t"])
    expect(cellsOf(text, separator).filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([]);
});

it("T51: a spreadsheet that ends cells at commas reads every value as it is", () => {
  expect(cellsOf(csvLine(["a,b", 'say "x"', "", "Zoë", "a;b"]), ",")).toEqual(["a,b", 'say "x"', "", "Zoë", "a;b"]);
  expect(csvLine(["=1", "a\nb"], true)).toBe('=1,"a\nb"\n');
});

it("T51: a name that a provider sends in several lines is stored in one", async () => {
  const service = await setup();
  const start = new URLSearchParams({ provider: "google", redirect_uri: APP });
  const toPicker = locationOf(await service.fetch(`/oauth/authorize?${start.toString()}`));
  const picker = requestOn(await (await service.fetch(toPicker.href)).text(), toPicker);
  const typed = new URLSearchParams({ email: "new@acme.test", name: ATTACK });
  const callback = locationOf(await service.fetch(`${picker.href}&${typed.toString()}`));
  expect(locationOf(await service.fetch(callback.href)).searchParams.has("token")).toBe(true);
  const args = ["users", "search", "email:new@acme.test", "--fields", "name", "--output"];
  expect(JSON.parse((await runCli([...args, "ndjson"], { service })).stdout)).toMatchObject({
    data: { name: "x =cmd|' /C calc'!A1;y" },
  });
});

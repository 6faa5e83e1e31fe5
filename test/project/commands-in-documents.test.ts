// Below the faces: a command's line in the documents is split as the completion splits it.

import { expect, it } from "vitest";
import { splitLine } from "../../src/cli/commands/completion/complete.ts";
import type { CommandMap } from "../../src/cli/help/tree.ts";
import { runCli } from "../_cli.ts";
import { pageTexts } from "../_pages.ts";

interface Whole {
  readonly options: CommandMap["options"];
  readonly commands: readonly CommandMap[];
}

const map = JSON.parse((await runCli(["help", "--json"])).stdout) as Whole;
const longOf = ({ flags }: CommandMap["options"][number]): string => /--[\w-]+/.exec(flags)?.[0] ?? flags;

/** What is wrong with a command named in a sentence, or undefined. */
function faultOf(line: string): string | undefined {
  const words = splitLine(line);
  let at: Whole | CommandMap = map;
  const known = new Set(["--help", ...map.options.map(longOf)]);
  for (const word of words) {
    // The rest belongs to another program.
    if (/^(--|[|<>&]+|xargs)$/.test(word)) return undefined;
    const child: CommandMap | undefined = at.commands.find(({ command }) => command.split(" ").at(-1) === word);
    if (child) {
      at = child;
      for (const option of child.options) known.add(longOf(option));
    } else if (word.startsWith("--") && !known.has(word.split("=")[0]!)) return `has no option ${word}`;
    else if (!word.startsWith("-") && at.commands.length > 0 && !/^[…<A-Z]/.test(word)) return `has no command ${word}`;
  }
  return undefined;
}

it("Every command that a page names in a sentence exists, with its options", async () => {
  const faults: string[] = [];
  let count = 0;
  for (const [page, text] of await pageTexts())
    for (const [, line = ""] of text.matchAll(/`(?:[A-Z_]+=\S+ )?(?:npx )?svc(?:-identity)? ([^`]+)`/g)) {
      count++;
      const fault = faultOf(line);
      if (fault !== undefined) faults.push(`${page}: svc ${line}: ${fault}`);
    }
  expect(count).toBeGreaterThan(60);
  expect(faults).toEqual([]);
});

it("The check finds a command or an option that does not exist", () => {
  expect(faultOf("users lst")).toBe("has no command lst");
  expect(faultOf("users list --sortby name")).toBe("has no option --sortby");
  expect(faultOf("store export --output-file backup.ndjson --store data/db.json")).toBeUndefined();
});

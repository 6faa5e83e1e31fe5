import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pageTexts } from "../_pages.ts";
import { ROOT } from "../_paths.ts";

const pages = await pageTexts();

/** The part of an address that GitHub makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

const anchors = new Map(
  pages.map(([page, text]) => {
    const prose = text.replaceAll(/^ *```[^]*?^ *```$/gm, "");
    return [page, new Set([...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading)))];
  }),
);

it("Every link of a page leads to a file and a heading that exist", () => {
  const faults: string[] = [];
  let count = 0;
  for (const [page, text] of pages)
    for (const [, target = "", anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      count++;
      const file = target === "" ? page : join(page, "..", target);
      if (!existsSync(join(ROOT, file))) faults.push(`${page}: ${target} does not exist`);
      else if (anchor !== undefined && !anchors.get(file)?.has(anchor))
        faults.push(`${page}: ${target} has no heading #${anchor}`);
    }
  expect(count).toBeGreaterThan(80);
  expect(faults).toEqual([]);
});

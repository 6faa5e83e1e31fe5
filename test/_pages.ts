import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./_paths.ts";

/** Every page. */
export const PAGES: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  ".github/SECURITY.md",
  "examples/README.md",
  ...(await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
];

/** The pages and their texts. */
export async function pageTexts(): Promise<[page: string, text: string][]> {
  return Promise.all(PAGES.map(async (page) => [page, await readFile(join(ROOT, page), "utf8")]));
}

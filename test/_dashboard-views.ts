import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./_paths.ts";
import { settled, type Dashboard } from "./_dashboard.ts";

const source = (file: string): string => readFileSync(join(ROOT, "src/dashboard", file), "utf8");
const rows = [...source("shell/views.ts").matchAll(/^ {2}\{ path: "([^"]+)".*\},$/gm)];
const [, sections = ""] = /const SECTIONS = \{(.*)\} as const/.exec(source("views/control.tsx")) ?? [];

/** The path of every view of the dashboard's table, and of every section of Control. */
export const VIEW_PATHS: readonly string[] = [
  ...rows.map(([, path]) => path!),
  ...[...sections.matchAll(/(\w+): "/g)].map(([, name]) => `control?section=${name!}`),
];
/** The views of the table that show one record, too. */
export const RECORD_VIEWS: readonly string[] = rows
  .filter(([row]) => row.includes("record: "))
  .map(([, path]) => path!);

/** Opens the first record of a view's list. */
export async function openRecord({ page, visit }: Dashboard, view: string): Promise<void> {
  await visit(view);
  const row = page.getByTestId("row").first();
  await row.waitFor();
  await row.getByRole("link").first().click();
  await settled(page);
  await page.locator(".heading > a").waitFor();
}

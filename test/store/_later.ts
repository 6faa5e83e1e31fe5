import { execFileSync } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type * as exporting from "../../src/server/store/move/export.ts";
import type * as move from "../../src/server/store/move/index.ts";
import type * as opening from "../../src/server/store/open.ts";
import { temporaryDirectory } from "../_files.ts";
import { ROOT } from "../_paths.ts";

export type Later = typeof exporting & typeof move & typeof opening;

const ENTRY = ["open", "move/index", "move/export"].map((file) => `export * from "./src/server/store/${file}.ts";`);

const ROW = '    locale: { kind: "text", nullable: true },\n';
const MIGRATION = `, 'ALTER TABLE svc.users ADD COLUMN locale text COLLATE "C"'`;

/** The sources of a later version of svc in a directory: users have a column `locale`. */
export async function laterSources({ migration }: { migration: boolean }): Promise<string> {
  const directory = temporaryDirectory();
  await cp(join(ROOT, "src"), join(directory, "src"), { recursive: true });
  for (const file of ["package.json", "tsconfig.json"]) await cp(join(ROOT, file), join(directory, file));
  await symlink(join(ROOT, "node_modules"), join(directory, "node_modules"));
  await insert(join(directory, "src/server/store/columns.ts"), /^ {2}users: \{\n/m, ROW);
  if (migration)
    await insert(
      join(directory, "src/server/store/postgres/schema.ts"),
      /MIGRATIONS[^=]*= \[\s*TABLES[^\]]*?(?=,?\s*\])/,
      MIGRATION,
    );
  return directory;
}

/** The compiler's output for them. */
export function compile(directory: string): string {
  try {
    return execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["--noEmit", "-p", directory], { encoding: "utf8" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

export async function laterBuild(options: { migration: boolean }): Promise<Later> {
  const directory = await laterSources(options);
  await writeFile(join(directory, "entry.ts"), ENTRY.join("\n"));
  const outfile = join(directory, "later.mjs");
  await build({
    entryPoints: [join(directory, "entry.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Later;
}

async function insert(path: string, after: RegExp, text: string): Promise<void> {
  const source = await readFile(path, "utf8");
  const changed = source.replace(after, (found) => found + text);
  if (changed === source) throw new Error(`${path} has no place for it`);
  await writeFile(path, changed);
}

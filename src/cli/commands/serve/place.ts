import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { Context } from "../../context.ts";
import { CliError, UsageError } from "../../errors.ts";
import { writePrivateFile } from "../../files.ts";
import { dataDirectory, placeOf, realDirectory } from "../../places.ts";

type Place = Pick<Context, "cwd" | "env">;

/** What names the directory that a place belongs to. */
export const FOLDER_NOTE = "folder";

const REMEDY = "Set SVC_DATA_DIR to a directory that you can write to, or name a store, such as --store memory.";

/** Where the store of this directory is, unless another was named. @throws {UsageError} without a data directory */
export function requirePlace({ cwd, env }: Place): string {
  const data = dataDirectory(env);
  if (data === undefined) throw new UsageError("No data directory: HOME is not set.", REMEDY);
  return placeOf(data, realDirectory(cwd));
}

/** The `db.json` of a place. */
export function storeOf(place: string): string {
  return join(place, "db.json");
}

/**
 * Makes the place of this directory, in which every server leaves the directory's name: its commands look there for a
 * server that has stopped, and svc doctor for directories that are gone.
 * @throws {CliError} where it can't be written
 */
export async function makePlace(context: Place): Promise<string> {
  const place = requirePlace(context);
  if (existsSync(join(place, FOLDER_NOTE))) return place;
  try {
    await writePrivateFile(join(place, FOLDER_NOTE), `${realDirectory(context.cwd)}\n`);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.exitCode, error.message, REMEDY);
  }
  return place;
}

/** The line about a store that git would commit. @param path that somebody named */
export async function inWorkTree({ cwd, env }: Place, path: string): Promise<string | undefined> {
  const directory = dirname(path);
  // Started elsewhere, and told to run nothing: the repository may be someone else's.
  const git = promisify(execFile)(
    "git",
    ["-c", "core.fsmonitor=false", "-C", directory, "check-ignore", "--quiet", path],
    { cwd: dirname(process.execPath), env },
  );
  const { code } = await git.then(
    () => ({ code: 0 }),
    (error: { code: unknown }) => error,
  );
  // 1 is its answer that nothing ignores the path; anything else that there is no work tree, or no git.
  if (code !== 1) return undefined;
  return `${relative(cwd, path)} has secret keys, and lies in a git work tree that does not ignore it: add it to .gitignore, with the files beside it.`;
}

import { createHmac, randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Context } from "../../context.ts";
import { upwards } from "../../connection/running-server.ts";
import { readPrivateFile, writePrivateFile } from "../../files.ts";
import { configDirectory } from "../../credentials/profiles.ts";
import { CliError, EXIT } from "../../errors.ts";
import { quoted } from "../../output/text.ts";

const REPOSITORIES = [".git", ".hg", ".jj", ".svn"];

type Place = Pick<Context, "cwd" | "env">;

/**
 * Checks a store that svc found by itself: whoever made it knows every key in it. Modes prove nothing, as a checkout under
 * umask 077 or an archive has those of svc. So a store is the user's own if it has a mark that only this user can make.
 * @throws {CliError} for another's in a repository, or one that everyone can read, as files from an archive
 */
export async function requireOwnStore({ cwd, env }: Place, path: string): Promise<void> {
  const { storeOrigin } = await import("../../../server/index.ts");
  const origin = await storeOrigin(path);
  if (!origin) return;
  const isInRepository = await liesInRepository(path);
  if (!isInRepository && !origin.isPublic) return;
  const key = await readUserKey(env);
  if (key !== undefined && origin.id !== undefined && (await readMark(path)) === markOf(key, origin.id)) return;
  throw new CliError(
    EXIT.failed,
    `${path} ${isInRepository ? "lies in a repository" : "can be read by everyone"}, and svc did not create it for you: someone else may know every key in it.`,
    `Delete it, and svc serve creates a new one. If it is yours, name it once: svc serve --store ${quoted(relative(cwd, path))}`,
    "store_unusable",
  );
}

/** Marks a store as this user's own: one that was just created, or that the user has named. */
export async function markOwnStore({ env }: Place, path: string): Promise<void> {
  const { storeOrigin } = await import("../../../server/index.ts");
  const id = (await storeOrigin(path))?.id;
  const key = id === undefined ? undefined : await userKey(env);
  if (id === undefined || key === undefined) return;
  const mark = markOf(key, id);
  if ((await readMark(path)) !== mark) await writePrivateFile(markPath(path), `${mark}\n`);
}

async function liesInRepository(path: string): Promise<boolean> {
  const directory = dirname(path);
  // What is a link leads elsewhere, and may be part of a repository here or there.
  const real = [realpath(directory), realpath(path).then(dirname)].map((found) => found.catch(() => directory));
  const all = new Set([directory, ...(await Promise.all(real))].flatMap((one) => [...upwards(one)]));
  return [...all].some((one) =>
    REPOSITORIES.some((name) => {
      try {
        return lstatSync(join(one, name), { throwIfNoEntry: false }) !== undefined;
      } catch {
        return false;
      }
    }),
  );
}

function markOf(key: string, id: string): string {
  return createHmac("sha256", key).update(`store ${id}`).digest("hex");
}

function markPath(path: string): string {
  return `${path}.owner`;
}

async function readMark(path: string): Promise<string | undefined> {
  return (await readPrivateFile(markPath(path)).catch(() => undefined))?.text.trim();
}

/** Undefined if the user has none yet, or there is no home directory for one. */
async function readUserKey(env: Place["env"]): Promise<string | undefined> {
  const path = keyPath(env);
  const text = path && (await readPrivateFile(path).catch(() => undefined))?.text.trim();
  return text && /^[\w-]{43}$/.test(text) ? text : undefined;
}

async function userKey(env: Place["env"]): Promise<string | undefined> {
  const path = keyPath(env);
  const there = await readUserKey(env);
  if (there !== undefined || path === undefined) return there;
  await writePrivateFile(path, `${randomBytes(32).toString("base64url")}\n`);
  // Another start may have written another one since.
  return readUserKey(env);
}

function keyPath(env: Place["env"]): string | undefined {
  const directory = configDirectory(env);
  return directory && join(directory, "store-key");
}

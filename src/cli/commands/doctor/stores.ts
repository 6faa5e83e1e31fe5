import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Context } from "../../context.ts";
import { toFailure } from "../../failure.ts";
import { counted, quoted } from "../../output/text.ts";
import { dataDirectory, storesDirectory } from "../../places.ts";
import { failed, inOneLine, ok, warning, type Finding } from "./finding.ts";

/** The store of this directory. */
export async function storeCheck(context: Context): Promise<Finding> {
  const { storeLocation } = await import("../serve/options.ts");
  let location: string;
  try {
    location = await storeLocation(context, {});
  } catch (error) {
    const { message, hint = "Correct it: svc serve does not start with it." } = toFailure(error);
    return warning(inOneLine(message), hint);
  }
  if (location === "memory" || location.includes("://"))
    return ok(location === "memory" ? "in memory, as configured" : "a database, as configured");
  const found = await stat(location).catch(() => undefined);
  if (!found) return ok(`${location}, which svc serve creates`);
  if (process.platform === "win32" || (found.mode & 0o077) === 0) return ok(location);
  return failed(
    `Others can read ${location}, which contains secret keys.`,
    `Run: chmod -R go= ${quoted(dirname(location))}`,
  );
}

/** The stores of directories that are gone: nothing else removes them. */
export async function otherStoresCheck({ env }: Context): Promise<Finding> {
  const data = dataDirectory(env);
  const places = data === undefined ? [] : await readdir(storesDirectory(data)).catch(() => []);
  const stores = await Promise.all(places.map(async (name) => storeIn(join(storesDirectory(data!), name))));
  const known = stores.flatMap((one) => one ?? []);
  const gone = known.filter(({ directory }) => !existsSync(directory));
  if (gone.length === 0) return ok(`${counted(known.length, "directory")} with a store`);
  return warning(
    `${counted(gone.length, "store")} of directories that are gone: ${gone.map(({ directory }) => directory).join(", ")}.`,
    `To delete their records: rm -r ${gone.map(({ place }) => quoted(place)).join(" ")}`,
  );
}

async function storeIn(place: string): Promise<{ place: string; directory: string } | undefined> {
  const { FOLDER_NOTE } = await import("../serve/place.ts");
  const note = await readFile(join(place, FOLDER_NOTE), "utf8").catch(() => undefined);
  return note === undefined ? undefined : { place, directory: note.replace(/\n$/, "") };
}

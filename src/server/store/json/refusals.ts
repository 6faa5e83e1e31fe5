import { VERSION } from "../records.ts";
import { StoreRefused } from "../store.ts";

/** The `db.json` that a file of a store belongs to. */
function storeOf(path: string): string {
  return path.replace(/\.journal(\.old)?$/, ".json");
}

export function damaged(path: string, what: string): StoreRefused {
  return new StoreRefused(
    "damaged",
    `${path} is damaged: ${what}. Nothing was changed. See all that is wrong with: svc store check --store ${storeOf(path)}. Keep what can be read with: svc store repair --store ${storeOf(path)}.`,
  );
}

export function unknownVersion(path: string, version: number): StoreRefused {
  const what =
    version > VERSION
      ? `was written by a newer svc (format ${version}). Update svc`
      : `has format ${version}, which no released svc has written`;
  return new StoreRefused("unusable", `${path} ${what}, or choose another --store.`);
}

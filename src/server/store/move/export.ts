import { createHash } from "node:crypto";
import type { Source } from "../maintenance.ts";
import { byTable, MOVED_NAMES, VERSION } from "../records.ts";
import { digest, type Digests } from "./digest.ts";

/**
 * An export, a line of JSON each:
 *
 *     {"format":"svc-identity-export","version":3}
 *     {"table":"users","record":{…}}
 *     {"end":{"instances":2,"personas":6,"users":12,"identities":9,"sessions":15},"sha256":"…"}
 *
 * The version is that of its records; an export of the first version has those of the oldest. The SHA-256 is that of
 * everything before the last line.
 */
export const EXPORT_FORMAT = "svc-identity-export";

/**
 * Writes a store, as it is at one point in time. The same content gives the same bytes. An export contains secret keys.
 * @param write takes the next piece, and resolves when there is room for more
 * @throws {StoreRefused} if the store is damaged; the output then has no end, and can't be imported
 */
export async function exportStore(source: Source, write: (text: string) => Promise<void>): Promise<Digests> {
  const hash = createHash("sha256");
  const add = async (text: string): Promise<void> => {
    hash.update(text);
    await write(text);
  };
  await add(`${JSON.stringify({ format: EXPORT_FORMAT, version: VERSION })}\n`);
  const digests = await digest(source, (records) =>
    add(records.map(([table, text]) => `{"table":"${table}","record":${text}}\n`).join("")),
  );
  const end = byTable(MOVED_NAMES, (name) => digests[name].count);
  await write(`${JSON.stringify({ end, sha256: hash.digest("hex") })}\n`);
  return digests;
}

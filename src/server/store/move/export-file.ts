import { createHash } from "node:crypto";
import { MOVED_NAMES, type MovedName, type TableName } from "../records.ts";
import type { Digests } from "./digest.ts";

/**
 * An export, a line of JSON each:
 *
 *     {"format":"svc-identity-export","version":3}
 *     {"table":"users","record":{…}}
 *     {"end":{"instances":2,"personas":6,"users":12,"identities":9,"sessions":15},"sha256":"…"}
 *
 * The version is that of its records; an export of the first version has those of the oldest.
 */
export const EXPORT_FORMAT = "svc-identity-export";

/** @param text the record as JSON */
export function recordLine(table: TableName, text: string): string {
  return `{"table":"${table}","record":${text}}\n`;
}

/** @param sha256 of all that stands before this line */
export function endLine(digests: Digests, sha256: string): string {
  return `${JSON.stringify({ end: countsOf(digests), sha256 })}\n`;
}

export function countsOf(digests: Digests): Record<MovedName, number> {
  return Object.fromEntries(MOVED_NAMES.map((name) => [name, digests[name].count])) as Record<MovedName, number>;
}

/** Hashes a file as it goes by. */
export class LineHash {
  readonly #hash = createHash("sha256");

  add<Text extends string | Buffer>(text: Text): Text {
    this.#hash.update(text);
    return text;
  }

  digest(): string {
    return this.#hash.digest("hex");
  }
}

import { crc32 } from "node:zlib";
import { eachLine, hex } from "./lines.ts";

/**
 * Whether a `db.json` of format 1 is what was written. Its records have no checksums of their own; the last line has one
 * over all bytes before it.
 */
export async function isIntactFormat1(path: string): Promise<boolean> {
  let checksum = 0;
  let last = "";
  await eachLine(path, ({ bytes }) => {
    if (last !== "") checksum = crc32("\n", crc32(last, checksum));
    last = bytes.toString();
  });
  return last === `"crc32":"${hex(checksum)}"}`;
}

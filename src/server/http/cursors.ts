import { createHmac, timingSafeEqual } from "node:crypto";

const MAC_BYTES = 8;

/** What a list is sorted by, and the id of the row: all that is needed to continue behind it. */
export type Place = readonly [key: string, id: string];

/** Places in lists, as a `Link` header carries them. They stay valid when the row moves or is deleted. */
export interface Cursors {
  /** @param list the position can be read for this list only */
  write(list: string, place: Place): string;
  /** Undefined if this is not a position in that list. */
  read(list: string, text: string): Place | undefined;
}

/** @param secret the same for every process on the store */
export function createCursors(secret: Buffer): Cursors {
  const write = (list: string, content: string): string => {
    const mac = createHmac("sha256", secret).update(`position\n${list}\n${content}`).digest().subarray(0, MAC_BYTES);
    return Buffer.concat([mac, Buffer.from(content)]).toString("base64url");
  };
  return {
    write: (list, place) => write(list, place.join(" ")),
    read(list, text) {
      const content = Buffer.from(text, "base64url").subarray(MAC_BYTES).toString();
      const given = Buffer.from(text);
      const expected = Buffer.from(write(list, content));
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const [, key = "", id = ""] = /^(\S+) (.*)$/s.exec(content) ?? [];
      return [key, id];
    },
  };
}

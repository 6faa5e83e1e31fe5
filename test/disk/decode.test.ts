// Below the faces: a pure rule of bytes, for seeds, configurations and stores alike.

import { describe, expect, it } from "vitest";
import { fileText, NotText, utf8Text } from "../../src/disk/decode.ts";

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

describe("Text in UTF-8", () => {
  it("has no byte order mark", () => {
    expect(utf8Text(bytes([0xef, 0xbb, 0xbf], "Zoë 🙂"))).toBe("Zoë 🙂");
  });

  it("may have the replacement character as its own", () => {
    expect(utf8Text(Buffer.from("a\ufffdb"))).toBe("a\ufffdb");
  });

  it.each<[string, Buffer, number, number]>([
    ["a byte of Latin-1", bytes("Zoë\nZo", [0xeb], "\n"), 2, 8],
    ["a byte that begins nothing", bytes([0xff]), 1, 1],
    ["a character that is cut off at the end", bytes("a\n\n", [0xf0, 0x9f, 0x99]), 3, 4],
    ["a character that another interrupts", bytes("a", [0xf0, 0x9f], "b"), 1, 2],
    ["an overlong form", bytes("ab", [0xc0, 0xaf]), 1, 3],
    ["half of a surrogate pair", bytes("ab", [0xed, 0xa0, 0x80]), 1, 3],
  ])("is refused at %s, with its line and byte", (_, given, line, byte) => {
    expect(() => utf8Text(given)).toThrow(new NotText(`is not text in UTF-8 (line ${line}, byte ${byte})`));
  });
});

describe("The text of a file", () => {
  it("may be UTF-16 with a byte order mark, of either order", () => {
    const little = Buffer.from("\ufeffZoë 🙂", "utf16le");
    expect(fileText(little)).toBe("Zoë 🙂");
    expect(fileText(Buffer.from(little).swap16())).toBe("Zoë 🙂");
  });

  it("is refused as UTF-16 without a mark, and with half of a pair", () => {
    expect(() => fileText(Buffer.from("id", "utf16le"))).toThrow("is in UTF-16 without a byte order mark");
    expect(() => fileText(Buffer.from("\ufeff\ud83d", "utf16le"))).toThrow("begins as text in UTF-16, and is not");
  });
});

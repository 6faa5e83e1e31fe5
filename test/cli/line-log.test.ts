// Below the faces: a reader that does not read cannot be held for a mebibyte by a pipe.
import { expect, it } from "vitest";
import { lineLog } from "../../src/cli/commands/serve/report.ts";

const LEFT_OUT = "lines left out: standard output was not read.";

it("A log leaves out lines while a mebibyte of it is unread, and says how many afterwards", () => {
  const written: string[] = [];
  let unread = 0;
  const stream = {
    isTTY: false,
    get unread() {
      return unread;
    },
    write: (text: string) => written.push(text),
  };
  const log = lineLog(stream, (message) => `${message}\n`);
  log("one\n");
  unread = 2 ** 20 + 1;
  log("two\n");
  log("three\n");
  unread = 2 ** 20;
  log("four\n");
  log("five\n");
  expect(written).toEqual(["one\n", `2 ${LEFT_OUT}\n`, "four\n", "five\n"]);
});

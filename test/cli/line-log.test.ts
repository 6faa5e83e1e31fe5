import { expect, it } from "vitest";
import { lineLog } from "../../src/cli/commands/serve/report.ts";

const LEFT_OUT = "lines were left out because standard output was not read or could not be written.";

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
  const log = lineLog(
    stream,
    (message) => `${message}\n`,
    () => written.push("failed"),
  );
  log("one\n");
  unread = 2 ** 20 + 1;
  log("two\n");
  log("three\n");
  unread = 2 ** 20;
  log("four\n");
  log("five\n");
  expect(written).toEqual(["one\n", `2 ${LEFT_OUT}\n`, "four\n", "five\n"]);
});

it("A log tells once that it can't be written, and says how many lines were left out when it can be again", () => {
  const written: string[] = [];
  let failure: string | undefined;
  const stream = {
    isTTY: false,
    write(text: string, done?: (failure?: string) => void) {
      if (failure === undefined) written.push(text);
      done?.(failure);
    },
  };
  const log = lineLog(
    stream,
    (message) => `${message}\n`,
    (message) => written.push(message),
  );
  for (const code of ["ENOSPC", "EIO"]) {
    failure = undefined;
    log("one\n");
    failure = code;
    for (const line of ["two\n", "three\n", "four\n"]) log(line);
  }
  failure = undefined;
  log("five\n");
  const cannot = (code: string): string =>
    `Standard output cannot be written (${code}). The server continues, and leaves lines out until it can.`;
  const left = `\n3 ${LEFT_OUT}\n`;
  expect(written).toEqual(["one\n", cannot("ENOSPC"), left, "one\n", cannot("EIO"), left, "five\n"]);
});

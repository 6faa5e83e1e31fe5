import type { Writable } from "node:stream";
import type { Stream } from "../context.ts";

export type ReadyWriter = Required<Pick<Stream, "write" | "ready">>;

/**
 * Writes no faster than it is read. A reader that has seen enough (`| head`) does not count as a failure: what is
 * still written is dropped.
 * @param onFailure told of every other error, such as a full disk; returns whether to try again with the next write
 */
export function readyWriter(target: Writable, onFailure: (code: string) => boolean): ReadyWriter {
  let isRead = true;
  let isCut = false;
  let wake = (): void => undefined;
  target.on("error", ({ code }: NodeJS.ErrnoException) => {
    isRead &&= code !== "EPIPE" && onFailure(code ?? "unknown");
    isCut = true;
    wake();
  });
  return {
    write(text) {
      // A full disk may have taken a part of the last line.
      if (isRead) target.write(isCut ? `\n${text}` : text);
      isCut = false;
    },
    ready: () =>
      new Promise((resolve) => {
        wake = () => resolve(isRead);
        if (isRead && target.writableNeedDrain) target.once("drain", wake);
        // A closed pipe is told of in a later turn of the loop.
        else setImmediate(wake);
      }),
  };
}

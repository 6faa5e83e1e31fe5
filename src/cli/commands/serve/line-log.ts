import type { Stream } from "../../context.ts";

const MAX_UNREAD_BYTES = 1 << 20;

/**
 * Writes lines while they are read. A program that reads only the first line must not fill the memory of the server: what
 * it leaves unread is limited, and further lines are left out. So are those that can't be written, on a full disk.
 * @param note says how many lines were left out, as soon as lines are written again
 * @param onFailure called with the system's code when lines can no longer be written
 */
export function lineLog(
  stream: Stream,
  note: (count: number) => string,
  onFailure: (code: string) => void,
): (line: string) => void {
  let leftOut = 0;
  let isFailing = false;
  const write = (text: string, lines: number): void => {
    stream.write(text, (failure) => {
      if (failure !== undefined) leftOut += lines;
      if (failure !== undefined && !isFailing) onFailure(failure);
      isFailing = failure !== undefined;
    });
  };
  return (line) => {
    if ((stream.unread ?? 0) > MAX_UNREAD_BYTES) return void leftOut++;
    const before = leftOut;
    leftOut = 0;
    // A full disk may have taken a part of the last line.
    if (before > 0) write((isFailing ? "\n" : "") + note(before), before);
    write(line, 1);
  };
}

import type { Stream } from "../../context.ts";

const MAX_UNREAD_BYTES = 1 << 20;

/**
 * Writes lines while they are read. A program that reads only the first line must not fill the memory of the server: what
 * it leaves unread is limited, and further lines are left out.
 * @param note says how many lines were left out
 */
export function lineLog(stream: Stream, note: (count: number) => string): (line: string) => void {
  let leftOut = 0;
  return (line) => {
    if ((stream.unread ?? 0) > MAX_UNREAD_BYTES) return void leftOut++;
    if (leftOut > 0) stream.write(note(leftOut));
    leftOut = 0;
    stream.write(line);
  };
}

import type { Context, Pager, Stream } from "../context.ts";
import { pagerOf } from "../output/pager.ts";
import type { Chunks } from "./formats.ts";

/** Small writes cost more than what they carry. */
const BATCH = 32_768;

type Target = Pick<Stream, "write" | "ready">;

/** Writes as fast as it is read. If the reader has gone, it ends, and so does the source of the chunks. */
export async function writeAll(target: Target, chunks: AsyncIterable<string>): Promise<void> {
  let batch = "";
  for await (const chunk of chunks) {
    batch += chunk;
    if (batch.length < BATCH) continue;
    target.write(batch);
    batch = "";
    if (target.ready && !(await target.ready())) return;
  }
  if (batch !== "") target.write(batch);
}

/** Output that is longer than the terminal goes through a pager, if a person wants that. */
export async function writePaged(context: Context, chunks: Chunks, isWanted: boolean): Promise<void> {
  const { stdout } = context;
  const command = isWanted ? pagerOf(context) : undefined;
  if (command === undefined || !context.openPager) return writeAll(stdout, chunks);
  const screen = (stdout.rows ?? 24) - 1;
  const shown: string[] = [];
  let pager: Pager | undefined;
  for (;;) {
    const { done, value } = await chunks.next();
    if (done) break;
    if (shown.push(value) <= screen) continue;
    pager = await context.openPager(command);
    break;
  }
  await writeAll(pager ?? stdout, followedBy(shown, chunks));
  await pager?.close();
}

async function* followedBy(first: readonly string[], rest: Chunks): Chunks {
  yield* first;
  yield* rest;
}

import type { Context, Stream } from "../context.ts";
import { pagerOf } from "../output/pager.ts";
import { lineOf, say } from "../output/text.ts";
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

/**
 * Output that is longer than the terminal goes through a pager, if a person wants that.
 * @param notesOn what to say below the output as far as it has come, a line each
 */
export async function writePaged(
  context: Context,
  chunks: Chunks,
  isWanted: boolean,
  notesOn: () => readonly string[],
): Promise<void> {
  const { stdout } = context;
  const command = isWanted ? pagerOf(context) : undefined;
  const screen = command === undefined ? -1 : (stdout.rows ?? 24) - 1;
  const shown: string[] = [];
  let isAll = false;
  while (!isAll && shown.length <= screen) {
    const { done, value } = await chunks.next();
    if (done) isAll = true;
    else shown.push(value);
  }
  const notes = notesOn();
  const linesOf = (note: string): number => Math.ceil(note.length / (stdout.columns ?? 80));
  const height = shown.length + notes.reduce((sum, note) => sum + linesOf(note), 0);
  const isPaged = command !== undefined && height > screen;
  // Below what fits a screen, less would end by itself, and the notes would push the heading off it.
  if (isAll && isPaged) shown.push(...notes.map((note) => lineOf(context, note)));
  if (isPaged) await page(context, command, followedBy(shown, chunks));
  else await writeAll(stdout, followedBy(shown, chunks));
  if (!(isAll && isPaged)) for (const note of notesOn()) say(context, note);
}

/** What a shell says of a program that it can't run. The codes above are those of signals. */
const NOT_RUN: readonly number[] = [126, 127];

/** Writes to a pager, or to the terminal if there is none. */
async function page(context: Context, command: string, chunks: Chunks): Promise<void> {
  const pager = await context.openPager?.(command);
  if (!pager) return writeAll(context.stdout, chunks);
  await writeAll(pager, chunks);
  const exitCode = await pager.close();
  if (exitCode === 0 || exitCode > 127) return;
  const what = NOT_RUN.includes(exitCode) ? "could not be run" : `failed with exit code ${exitCode}`;
  say(context, `The pager "${command}" ${what}. Set SVC_PAGER to another one, or use --no-pager.`);
}

async function* followedBy(first: readonly string[], rest: Chunks): Chunks {
  yield* first;
  yield* rest;
}

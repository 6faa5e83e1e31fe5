import type { Context } from "../../../context.ts";
import { instanceInWords } from "../../../connection/target.ts";
import { CliError, EXIT, type ExitCode } from "../../../errors.ts";
import { counted, printJson, printRecord } from "../../../output/text.ts";
import type { OutputFlags } from "../../../output/flags.ts";
import { readReceipt, resultsIn, type Line, type Start } from "./receipt.ts";

/**
 * Prints what a receipt says of the last run. Sends nothing.
 * @returns exit code 6 if it has not deleted everyone that it was to delete
 * @throws {CliError} if there is none
 */
export async function printStatus(context: Context, flags: OutputFlags, path: string): Promise<ExitCode> {
  const recorded = await readReceipt(context, path);
  const { entries = [] } = recorded;
  const at = entries.findLastIndex((entry) => "users" in entry);
  const start = entries[at] as Start | undefined;
  if (!start) throw new CliError(EXIT.notFound, `--receipt: "${path}" records no deletion.`);
  const own = resultsIn({ ...recorded, entries: entries.slice(at) });
  const count = (...outcomes: Line["outcome"][]): number =>
    own.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const done = count("deleted", "gone");
  const status = {
    finished: done === start.users,
    service: start.service,
    instance: start.instance ?? null,
    began_at: start.time,
    last_at: entries.at(-1)!.time,
    users: start.users,
    deleted: count("deleted"),
    gone: count("gone"),
    failed: count("failed"),
    unknown: count("unknown", "deleting"),
    not_attempted: start.users - own.length + count("not_attempted"),
  };
  if (flags.json) printJson(context, status);
  else {
    const { finished, instance, ...numbers } = status;
    printRecord(context, {
      finished: finished ? "yes" : `no: ${counted(start.users - done, "user")} left. Continue it with --resume`,
      ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
      service: `${start.service}, ${instanceInWords(instance ?? undefined)}`,
    });
  }
  return status.finished ? EXIT.done : EXIT.someFailed;
}

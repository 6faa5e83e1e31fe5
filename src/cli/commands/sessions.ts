import type { BodyOf } from "../../wire/control/types.ts";
import type { Session } from "../../wire/resources.ts";
import { MIN_RETENTION_MS, prunedQuery } from "../../wire/serve.ts";
import { runs, type Flags, type Program, type GlobalFlags } from "../command.ts";
import { openClient } from "../connection/client.ts";
import { checkLimits, consentAt, limitsOf, YES_FLAG } from "../connection/consent.ts";
import { instanceInWords, instanceOf, openControl, sayDone, sayUndo, type Control } from "../connection/control.ts";
import type { Context, Surroundings } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import { addFieldsFlag, chosenBy, checkSessionId, SESSION_COLUMNS, type ListFlags } from "../list/columns.ts";
import { printResource, printList } from "../list/print.ts";
import { printsRows } from "../output/flags.ts";
import { createProgress } from "../output/progress.ts";
import { counted, printJson, say } from "../output/text.ts";
import { moment } from "../quantities.ts";
import { SESSIONS } from "../search/flags.ts";
import { addListAndSearch, type Records } from "./record-commands.ts";

const SESSION_RECORDS: Records<Session> = {
  columns: SESSION_COLUMNS,
  searched: SESSIONS,
  order: "the most recent sign-in first",
  examples: {
    list: [["svc sessions list --limit 20", "the 20 most recent sessions"]],
    search: [
      ["svc sessions search 'email:*@acme.test' provider:github", "of one domain, through github"],
      ["svc sessions search 'last_signin_at>=2026-01-01' -provider:google", "this year's, except google's"],
      ["svc sessions search 'ip_address:203.0.113.*' revoked_at:null", "from one network, not revoked"],
      ["svc sessions search --since 7d --active --count", "the number of a week"],
    ],
  },
  of: ({ sessions }) => sessions,
};

export function add(program: Program, context: Surroundings): void {
  const sessions = program.command("sessions");
  const get = sessions.command("get <session_id>").description("print one session");
  runs(addFieldsFlag(printsRows(get), SESSION_COLUMNS), context, { on: "instance" }, runGet, {
    examples: [["svc sessions get svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "by the id that lists print"]],
  });

  addListAndSearch(sessions, context, SESSION_RECORDS);

  const prune = printsRows(sessions.command("prune"))
    .description("delete old sessions")
    .option("--before <time>", "those without a sign-in or revocation since a date, or for so long: 90d")
    .option("-n, --dry-run", "print the sessions, and delete none")
    .option("--expect <number>", "abort unless exactly <number> sessions match")
    .option("--max <number>", "abort if more than <number> sessions match")
    .option("--no-undo", "do not save all records in a snapshot before")
    .option(...YES_FLAG);
  runs(prune, context, { on: "instance", changes: true }, runPrune, {
    examples: [
      ["svc sessions prune --before 90d --dry-run", "the sessions that would be deleted"],
      ["svc sessions prune --before 90d --instance acme", "delete them in one instance; asks first"],
    ],
    notes: `It needs the control API. A session that is renewed meanwhile stays, and so do those of the last hour. Users keep what
they have, and so do backups and snapshots; the one that is saved before undoes it. Without a chosen instance it is of the
first, for which --yes is refused where the server has several. To have a server delete old sessions by itself, set retention
in its configuration.`,
  });
}

export type GetOptions = GlobalFlags & Pick<ListFlags, "fields">;

export async function runGet(context: Context, options: GetOptions, id: string): Promise<void> {
  const chosen = chosenBy(options.fields, SESSION_COLUMNS);
  checkSessionId(id);
  const session = await (await openClient(context)).sessions.get(id);
  await printResource(context, options, SESSION_COLUMNS, session, chosen);
}

export interface PruneOptions extends Flags<"max" | "expect", "dryRun" | "yes"> {
  readonly before?: string;
  readonly undo: boolean;
}

/** Deletes old sessions of an instance after consent, or prints those that it would delete. @throws {CliError} */
export async function runPrune(context: Context, options: PruneOptions): Promise<void> {
  if (options.before === undefined)
    throw new UsageError(
      "--before is missing. No sessions were deleted.",
      "Say which are old. To see those of 90 days ago: svc sessions prune --before 90d --dry-run",
    );
  const limits = limitsOf(options);
  const control = await openControl(context);
  // By the server's clock, which may have been moved.
  const now = new Date((await control.request("GET /clock")).now);
  const before = new Date(moment("--before", options.before, now)).toISOString();
  if (Date.parse(before) > now.getTime() - MIN_RETENTION_MS)
    throw new UsageError(
      "--before must be an hour ago or more: tokens of later sessions may still be valid. No sessions were deleted.",
      "Write --before 90d, or a date.",
    );
  const instance = await instanceOf(control);
  const query = { instance: instance.id, query: prunedQuery(before) };
  const { count, is_complete } = await control.request("GET /sessions/count", { query });
  const those = `${is_complete ? "" : "more than "}${counted(count, "session")} of ${instanceInWords(instance)}`;
  const which = `without a sign-in or revocation since ${before}`;
  if (options.dryRun) {
    await printList(context, options, SESSION_COLUMNS, control.rows("GET /sessions", query));
    say(context, `Dry run: ${those} ${which} would be deleted at ${control.place}.`);
  }
  if (!is_complete && (options.max ?? options.expect) !== undefined)
    throw new CliError(
      EXIT.precondition,
      `There are ${those}, whose exact number is not known: --max and --expect can't be kept. No sessions were deleted.`,
      "Delete them in steps, the oldest first: with an earlier --before.",
    );
  checkLimits(count, limits, {
    noun: "session",
    found: "there are",
    unchanged: "No sessions were deleted.",
  });
  if (options.dryRun) return;
  if (count > 0) await consentAt(context, control, options, `Delete ${those} ${which}`);
  const { deleted, snapshot } =
    count === 0 ? NONE : await pruneAll(context, control, { instance, before, count }, options);
  if (options.json) return printJson(context, { instance: instance.id, before, deleted, snapshot });
  await sayDone(context, options, control, `Deleted ${counted(deleted, "session")} of`, instance.id);
  if (snapshot !== null) sayUndo(context, options, snapshot, instance);
}

const NONE = { deleted: 0, snapshot: null };

/** Step by step. @returns how many, and the snapshot of the records before */
async function pruneAll(
  context: Context,
  control: Control,
  old: { readonly instance: { readonly id: string }; readonly before: string; readonly count: number },
  { undo }: Pick<PruneOptions, "undo">,
): Promise<{ deleted: number; snapshot: string | null }> {
  const { instance, before, count } = old;
  const progress = createProgress(context, count);
  let deleted = 0;
  let snapshot: string | null = null;
  try {
    for (let more = true; more;) {
      const body: BodyOf<"POST /sessions/prune"> = {
        instance: instance.id,
        before,
        ...(undo && snapshot === null && { snapshot: true }),
      };
      const step = await control.request("POST /sessions/prune", { body });
      snapshot ??= step.snapshot;
      deleted += step.deleted;
      more = step.more;
      progress.to(deleted, Math.max(count, deleted));
    }
  } catch (error) {
    progress.end();
    say(context, `${counted(deleted, "session")} deleted before this failed:`);
    throw error;
  }
  progress.end();
  return { deleted, snapshot };
}

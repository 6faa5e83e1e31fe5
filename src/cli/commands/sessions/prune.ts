import type { Command } from "commander";
import type { ControlClient } from "../../../control-client/index.ts";
import { prunedQuery } from "../../../wire/serve.ts";
import { consentAt, YES_FLAG, openControl, instanceInWords } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, DEV_EXITS, EXIT, UsageError } from "../../errors.ts";
import { SESSION_COLUMNS } from "../../list/columns.ts";
import { printAll } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { counted, printJson, say } from "../../output/text.ts";
import { createProgress } from "../../output/progress.ts";
import { moment } from "../../quantities.ts";

export interface PruneOptions extends GlobalFlags {
  readonly before: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addPrune(sessions: Command, context: Context): void {
  const command = printsRows(sessions.command("prune"))
    .description("delete old sessions")
    .requiredOption("--before <time>", "those without a sign-in or revocation since a date, or for so long: 90d")
    .option("-n, --dry-run", "print the sessions, and delete none")
    .option(...YES_FLAG);
  withHelp(command, {
    examples: [
      ["svc sessions prune --before 90d --dry-run", "the sessions that would be deleted"],
      ["svc sessions prune --before 90d --instance acme", "delete them in one instance; asks first"],
      ["svc sessions prune --before 2026-01-01 --yes", "in a script"],
    ],
    exits: DEV_EXITS,
    notes: `It needs the control API. A session that is renewed meanwhile stays, and so do those of the last hour. Users, and
backups and snapshots made before, keep what they have. Without --instance it is the server's first instance. To have a
server delete old sessions by itself, set retention in its configuration.`,
  });
  runs(command, (options: PruneOptions) => runPrune(context, options));
}

/** Deletes old sessions of an instance after consent, or prints those that it would delete. @throws {CliError} */
export async function runPrune(context: Context, options: PruneOptions): Promise<void> {
  const control = await openControl(context, options);
  const before = timeOf(options.before, new Date((await control.request("GET /clock")).now));
  const instance = await chosen(control, options.instance);
  const query = { instance: instance.id, query: prunedQuery(before) };
  const { count, is_complete } = await control.request("GET /sessions/count", { query });
  const those = `${is_complete ? "" : "more than "}${counted(count, "session")} of ${instanceInWords(instance)}`;
  const which = `without a sign-in or revocation since ${before}`;
  if (options.dryRun) {
    await printAll(context, options, SESSION_COLUMNS, control.rows("GET /sessions", query), "");
    return say(context, `Dry run: ${those} ${which} would be deleted.`);
  }
  let deleted = 0;
  if (count > 0) {
    await consentAt(context, control, options, `Delete ${those} ${which}`);
    const progress = createProgress(context, count);
    try {
      for (let more = true; more;) {
        const step = await control.request("POST /sessions/prune", { body: { instance: instance.id, before } });
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
  }
  if (options.json) return printJson(context, { instance: instance.id, before, deleted });
  say(context, `${counted(deleted, "session")} deleted.`);
}

/** ISO 8601. @param now by the server's clock */
function timeOf(text: string, now: Date): string {
  const time = moment("--before", text, now);
  if (time.length === 10 || /(?:Z|[+-]\d{2}:\d{2})$/i.test(time)) return new Date(time).toISOString();
  throw new UsageError(`--before: "${text}" has no time zone.`, `Write it with its time zone: ${text}Z.`);
}

async function chosen(control: ControlClient, name: string | undefined) {
  if (name !== undefined) return control.request("GET /instances/:id", { params: { id: name } });
  // Newest first; the server's first one is the last.
  const instances = await control.request("GET /instances");
  const first = instances.at(-1);
  if (first) return first;
  throw new CliError(EXIT.notFound, "The server has no instances.");
}

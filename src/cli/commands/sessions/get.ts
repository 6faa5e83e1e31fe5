import type { Command } from "commander";
import { openClient } from "../../connection/client.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { SESSION_COLUMNS } from "../../list/columns.ts";
import { addFieldsFlag, chosenBy, type ListFlags } from "../../list/flags.ts";
import { printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { checkSessionId } from "../../list/ids.ts";

export type GetOptions = GlobalFlags & Pick<ListFlags, "fields">;

export function addGet(sessions: Command, context: Context): void {
  const command = sessions.command("get <session_id>").description("print one session");
  withHelp(addFieldsFlag(printsRows(command), SESSION_COLUMNS), {
    examples: [["svc sessions get svc_session_7f3c2a10-5b1e-4c55-9d0a-1f6f0d6f6a01", "by the id that lists print"]],
    exits: [EXIT.done, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.unreachable],
  });
  runs(command, (options: GetOptions, id: string) => runGet(context, options, id));
}

/** Prints the session with an id. */
export async function runGet(context: Context, options: GetOptions, id: string): Promise<void> {
  const chosen = chosenBy(options.fields, SESSION_COLUMNS);
  checkSessionId(id);
  const session = await (await openClient(context, options)).sessions.get(id);
  await printResource(context, options, SESSION_COLUMNS, session, chosen);
}

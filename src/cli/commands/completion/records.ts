import type { Client } from "../../../client/client.ts";
import type { Page } from "../../../wire/http/request.ts";
import { openTarget } from "../../connection/client.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { TargetFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { Records } from "../record-commands.ts";
import type { Candidate } from "./line.ts";

/** A person does not wait longer for a completion. */
const WITHIN_SECONDS = "1";
/** More than these are not looked through. */
const PAGE: Page = { limit: 30 };

/** The users whose id begins so, newest first, and with `byEmail` those whose address does. */
export function userIds(
  context: Context,
  flags: TargetFlags,
  begun: string,
  byEmail: boolean,
): Promise<readonly Candidate[]> {
  return asked(context, flags, async ({ users }) => {
    const byId = await beginning(begun, /^[0-9a-f-]+$/, "id", users);
    const named = byEmail && begun !== "" ? await beginning(begun, /^[\w.@+]+$/, "email", users) : [];
    return [
      ...byId.map(({ id, data }) => ({ value: id, description: data.email })),
      ...named.map(({ data }) => ({ value: data.email, description: data.name })),
    ];
  });
}

/** The sessions whose `session_id` begins so, latest first. */
export function sessionIds(context: Context, flags: TargetFlags, begun: string): Promise<readonly Candidate[]> {
  return asked(context, flags, async ({ sessions }) => {
    const found = await beginning(begun, /^[\w-]+$/, "session_id", sessions);
    return found.map(({ data }) => ({ value: data.session_id, description: `${data.email}, ${data.provider}` }));
  });
}

async function beginning<Row>(
  begun: string,
  form: RegExp,
  field: string,
  rows: ReturnType<Records<Row>["of"]>,
): Promise<Row[]> {
  if (begun === "") return rows.list(PAGE);
  return form.test(begun) ? rows.search(`${field}:${begun}*`, PAGE) : [];
}

/**
 * Asks the service that the line, the environment or the directory names: once, shortly, and without a word. A keyring or
 * a password manager might ask its owner, so only a key that is at hand is used.
 */
async function asked(
  context: Context,
  flags: TargetFlags,
  ask: (client: Client) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  const env = { ...context.env, SVC_TIMEOUT: WITHIN_SECONDS, SVC_RETRIES: "0", SVC_WAIT: "", SVC_LOG: "" };
  const quiet: Context = { ...context, env, stderr: { write: () => true, isTTY: false } };
  const target = await resolveTarget(quiet, flags);
  if (typeof target.secret_key?.value !== "string") return [];
  const found = await ask(await openTarget(quiet, target));
  // What begins with a hyphen would be an option.
  return found.filter(({ value }) => !value.startsWith("-"));
}

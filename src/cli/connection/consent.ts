import type { ControlClient } from "../../control-client/index.ts";
import type { AnswerOf } from "../../wire/control/types.ts";
import type { Context } from "../context.ts";
import { requireConsent } from "../output/prompt.ts";
import { harmless, say } from "../output/text.ts";

/** On commands that destroy records. */
export const YES_FLAG = ["-y, --yes", "do not ask for confirmation"] as const;

/**
 * Has a person agree to what destroys records, or says with `--yes` where it happens.
 * @param does such as `Delete the users of Acme`, which the server's address follows
 * @throws {CliError} if the answer is no, or if there is no terminal to ask on
 */
export async function consentAt(
  context: Context,
  control: ControlClient,
  { yes, json }: { readonly yes?: boolean; readonly json?: boolean },
  does: string,
  note = "",
): Promise<void> {
  const source = context.env["SVC_CONTROL_URL"] ? "SVC_CONTROL_URL" : "the server of this directory";
  const what = harmless(`${does} at ${control.url} (${source})`);
  if (!yes)
    await requireConsent(context, `${what}?${note}`, `To ${what.charAt(0).toLowerCase()}${what.slice(1)}, add --yes.`);
  else if (!json) say(context, what);
}

/** An instance by its name, subdomain and id. */
export function instanceInWords({ id, data }: AnswerOf<"GET /instances/:id">): string {
  return `${data.name} (${data.subdomain} ${id})`;
}

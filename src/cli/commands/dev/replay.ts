import { Option, type Command } from "commander";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { OUTCOME_IDS, type OutcomeId } from "../../../wire/outcomes.ts";
import { openControl } from "../../connection/control.ts";
import { runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS } from "../../errors.ts";
import { printJson, printRecord } from "../../output/text.ts";
import { checkFlowId } from "../../list/ids.ts";

export interface ReplayOptions extends GlobalFlags {
  readonly outcome?: OutcomeId;
  readonly as?: string;
  readonly provider?: Provider;
}

export function addReplay(dev: Command, context: Context): void {
  const command = dev
    .command("replay")
    .description("run a sign-in again, unchanged or with changes")
    .argument("<flow>", "the sign-in's id, as svc logs prints it")
    .addOption(new Option("--outcome <outcome>", "how it ends this time").choices(OUTCOME_IDS))
    .option("--as <account>", "another account: a persona's id or e-mail address")
    .addOption(new Option("--provider <provider>", "another provider").choices(PROVIDERS));
  withHelp(command, {
    examples: [
      ["svc dev replay 2aa3d6edf1ffd994", "the same once more"],
      ["svc dev replay 2aa3d6edf1ffd994 --outcome token_timeout", "what if the provider had been slow?"],
    ],
    exits: DEV_EXITS,
    notes: "The exit code is 0 even if the sign-in ends with an error. To see its steps:\n  svc logs --flow <id>",
  });
  runs(command, (options: ReplayOptions, flow: string) => runReplay(context, options, flow));
}

/** Runs a sign-in again without a browser, and prints how it ended. */
export async function runReplay(context: Context, options: ReplayOptions, flow: string): Promise<void> {
  const { outcome, as, provider, json } = options;
  checkFlowId(flow);
  const control = await openControl(context, options);
  const answer = await control.request("POST /flows/:id/replay", {
    params: { id: flow },
    body: { outcome, as, provider },
  });
  if (json) return printJson(context, answer);
  const shown = Object.entries(answer).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  printRecord(context, Object.fromEntries(shown) as Record<string, string>);
}

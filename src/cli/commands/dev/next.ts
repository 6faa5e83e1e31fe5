import { Argument, Option, type Command } from "commander";
import type { BodyOf } from "../../../wire/control/types.ts";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { OUTCOME_IDS, type OutcomeId } from "../../../wire/outcomes.ts";
import { openControl } from "../../connection/control.ts";
import { collect, runs, withHelp, type GlobalFlags } from "../../command.ts";
import type { Context } from "../../context.ts";
import { DEV_EXITS } from "../../errors.ts";
import { printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { SCENARIO_COLUMNS } from "./columns.ts";
import { durationFrom, fieldsFrom, numberFrom } from "../../quantities.ts";

export interface NextOptions extends GlobalFlags {
  readonly as?: string;
  readonly outcome: OutcomeId;
  readonly times?: string;
  readonly always?: boolean;
  readonly delay?: string;
  readonly loginHint?: string;
  readonly browser?: string;
  readonly label?: string;
  readonly field?: readonly string[];
  readonly omit?: string[];
}

export function addNext(dev: Command, context: Context): void {
  const command = printsRows(dev.command("next"))
    .description("decide how the next sign-in ends")
    .addArgument(new Argument("[provider]", "only for sign-ins with this provider").choices(PROVIDERS))
    .option("--as <account>", "the account to sign in with: a persona's id or e-mail address")
    .addOption(
      new Option("--outcome <outcome>", "how it ends; see svc dev outcomes").choices(OUTCOME_IDS).default("success"),
    )
    .addOption(new Option("--times <number>", "for this number of sign-ins; default 1").conflicts("always"))
    .option("--always", "for every sign-in, until svc dev scenarios --clear")
    .option("--delay <duration>", "delay the provider's answer; a number alone is milliseconds")
    .option("--login-hint <address>", "only for sign-ins with this login_hint")
    .option("--browser <id>", "only for the browser with this id or label")
    .option(
      "--field <name=value>",
      "add or replace a field of the profile; a value in JSON is taken as JSON; can be repeated",
      collect,
    )
    .option("--omit <field>", "leave out a field of the provider's profile; can be repeated", collect)
    .option("--label <name>", "a name to find it by");
  withHelp(command, {
    examples: [
      ["svc dev next github --as ada", "the next sign-in with github is Ada's, without the account picker"],
      ["svc dev next --outcome access_denied", "the next one is declined, whatever the provider"],
      ["svc dev next google --outcome token_timeout --times 3", "google fails three times"],
      ["svc dev next --as ada --field name=null --omit picture", "her profile has other fields"],
    ],
    exits: DEV_EXITS,
  });
  runs(command, (options: NextOptions, provider?: Provider) => runNext(context, options, provider));
}

/** Adds a scenario, and prints it. */
export async function runNext(context: Context, options: NextOptions, provider?: Provider): Promise<void> {
  const control = await openControl(context, options);
  const scenario = await control.request("POST /scenarios", { body: scenarioOf(options, provider) });
  await printResource(context, options, SCENARIO_COLUMNS, scenario);
}

function scenarioOf(options: NextOptions, provider: Provider | undefined): BodyOf<"POST /scenarios"> {
  const { instance, as, outcome, times, always, delay, loginHint, browser, label, field, omit } = options;
  return {
    match: { provider, instance, browser, login_hint: loginHint },
    outcome,
    as,
    times: always ? null : times === undefined ? undefined : numberFrom("--times", times),
    delay_ms: delay === undefined ? undefined : durationFrom("--delay", delay, { bare: "ms" }),
    label,
    profile: fieldsFrom("--field", field),
    omit,
  };
}

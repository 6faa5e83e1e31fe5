import { Argument, Option, type Command } from "commander";
import type { AnswerOf, BodyOf } from "../../../wire/control/types.ts";
import { delayInWords, DELAYED } from "../../../wire/control/scenarios.ts";
import { OUTCOME_IDS, type OutcomeId } from "../../../wire/outcomes.ts";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { collect, runs, type Flags } from "../../command.ts";
import { openControl, sayDone } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import type { Listed } from "../../list/columns.ts";
import { printList, printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { counted, printJson } from "../../output/text.ts";
import { durationFrom, fieldsFrom, numberFrom, pairFrom } from "../../quantities.ts";

const SCENARIO_COLUMNS: Listed<AnswerOf<"GET /scenarios">[number]> = {
  columns: [
    { name: "id", title: "ID" },
    { name: "outcome", title: "OUTCOME" },
    { name: "as", title: "AS" },
    {
      name: "match",
      title: "FOR",
      value: ({ data }) =>
        Object.entries(data.match)
          .map(([name, value]) => `${name}=${value}`)
          .join(" ") || "every sign-in",
    },
    { name: "remaining", title: "LEFT", value: ({ data }) => (data.remaining === null ? "∞" : `${data.remaining}`) },
    { name: "used", title: "USED", isSpare: true, value: ({ data }) => `${data.used}` },
    { name: "delay_ms", value: ({ data }) => delayInWords(data.delay_ms) ?? "" },
    { name: "label", title: "LABEL", isSpare: true },
    { name: "created_at", as: "time" },
  ],
};

export interface NextOptions extends Flags<"as" | "times", "always"> {
  readonly outcome: OutcomeId;
  readonly field?: readonly string[];
  readonly omit?: string[];
  readonly delay?: readonly string[];
}

export function addSignIns(dev: Command, context: Surroundings): void {
  const next = printsRows(dev.command("next"))
    .description("decide how the next sign-in ends")
    .addArgument(new Argument("[provider]", "only for sign-ins with this provider").choices(PROVIDERS))
    .option("--as <account>", "the account to sign in with: a persona's id or e-mail address")
    .addOption(new Option("--outcome <outcome>", "how it ends").choices(OUTCOME_IDS).default("success"))
    .addOption(new Option("--times <number>", "for this number of sign-ins; default 1").conflicts("always"))
    .option("--always", "for every sign-in, until svc dev scenarios --clear")
    .option(
      "--delay <duration>",
      "delay the authorize page, or with token= or profile= that endpoint; a number alone is milliseconds; can be repeated",
      collect,
    )
    .option(
      "--field <name=value>",
      "add or replace a field of the profile; a value in JSON is taken as JSON; can be repeated",
      collect,
    )
    .option("--omit <field>", "leave out a field of the profile; can be repeated", collect);
  runs(next, context, { on: "instance", changes: true }, runNext, {
    examples: [
      ["svc dev next github --as ada", "the next sign-in with github is Ada's, without the account picker"],
      ["svc dev next google --outcome token_timeout --times 3", "google fails three times"],
      ["svc dev next github --delay token=12s", "its token endpoint is slower than svc waits"],
      ["svc dev next --as ada --field name=null --omit picture", "her profile has other fields"],
    ],
  });

  const scenarios = printsRows(dev.command("scenarios"))
    .description("print the scenarios, newest first")
    .option("--clear", "delete them all");
  runs(scenarios, context, ({ clear }) => (clear ? { on: "server", changes: true } : { on: "server" }), runScenarios, {
    examples: [
      ["svc dev scenarios", "those that wait, and those that were met"],
      ["svc dev scenarios --clear", "delete them all"],
    ],
    notes: "To add one: svc dev next",
  });
}

export async function runNext(context: Context, options: NextOptions, provider?: Provider): Promise<void> {
  const control = await openControl(context);
  const body = scenarioOf(options, provider, control.instance);
  const scenario = await control.request("POST /scenarios", { body });
  await printResource(context, options, SCENARIO_COLUMNS, scenario);
  await sayDone(context, options, control, "Decided sign-ins of", control.instance);
}

function scenarioOf(
  options: NextOptions,
  provider: Provider | undefined,
  instance: string | undefined,
): BodyOf<"POST /scenarios"> {
  const { as, outcome, times, always, delay, field, omit } = options;
  return {
    match: { provider, instance },
    outcome,
    as,
    times: always ? null : times === undefined ? undefined : numberFrom("--times", times),
    delay_ms: delay && delayFrom(delay),
    profile: fieldsFrom("--field", field),
    omit,
  };
}

/** `1.5s`, which is for the authorize page, or `token=12s`. */
function delayFrom(texts: readonly string[]): NonNullable<BodyOf<"POST /scenarios">>["delay_ms"] {
  const parts = texts.map((text) => {
    const [name, duration] = text.includes("=") ? pairFrom("--delay", text) : ["authorize", text];
    if (!DELAYED.some((place) => place === name))
      throw new UsageError(`--delay: "${name}" is none of ${DELAYED.join(", ")}.`, "Write --delay token=12s.");
    return [name, durationFrom("--delay", duration, { bare: "ms" })] as const;
  });
  const { authorize, ...others } = Object.fromEntries(parts);
  return Object.keys(others).length === 0 ? authorize : { ...others, ...(authorize !== undefined && { authorize }) };
}

export async function runScenarios(context: Context, options: Flags<never, "clear">): Promise<void> {
  const control = await openControl(context);
  if (!options.clear) {
    const rows = control.rows("GET /scenarios");
    return printList(context, options, SCENARIO_COLUMNS, rows, {
      none: "There are no scenarios. Add one with: svc dev next",
    });
  }
  const answer = await control.request("DELETE /scenarios");
  if (options.json) return printJson(context, answer);
  await sayDone(context, options, control, `Deleted ${counted(answer.ids.length, "scenario")} of`);
}

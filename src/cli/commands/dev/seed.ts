import type { Command } from "commander";
import type { BodyOf } from "../../../wire/control/types.ts";
import { runs, type Flags } from "../../command.ts";
import { requireNamed } from "../../connection/consent.ts";
import { instanceInWords, instanceOf, openControl, sayDone } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { readJson } from "../../files.ts";
import { printJson, printRecord } from "../../output/text.ts";
import { numberFrom } from "../../quantities.ts";

export type SeedOptions = Flags<"generate" | "seed">;

export function addSeed(dev: Command, context: Surroundings): void {
  const command = dev
    .command("seed")
    .description("add the records of a file, or generated users")
    .argument("[file]", "a seed document in JSON; - reads standard input")
    .option("--generate <users>", "generate this many users, each with an identity and a session")
    .option("--seed <number>", "with --generate: the same number gives the same users; default 1");
  // The instances of a file are named in it.
  runs(command, context, ({ generate }) => ({ on: generate ? "instance" : "server", changes: true }), runSeed, {
    examples: [
      ["svc dev seed more.json", "add instances, users and personas"],
      ["svc dev seed --generate 1000", "1000 users with names in many scripts"],
    ],
    notes:
      "If any record of the file already exists, nothing is added (exit code 8). To add more generated users to an " +
      "instance, choose another --seed.",
  });
}

/** Adds the records of a file, or generated users. @throws {CliError} unless one of the two is asked for */
export async function runSeed(context: Context, options: SeedOptions, file?: string): Promise<void> {
  const { generate, seed } = options;
  if ((file === undefined) === (generate === undefined))
    throw new UsageError("Nothing to add.", "Give either a file, or --generate with a number.");
  if (seed !== undefined && generate === undefined)
    throw new UsageError("--seed is for --generate.", "Omit it, or use svc dev seed <file>.");
  const document = file === undefined ? undefined : await readJson<BodyOf<"POST /seed">>(context, file);
  const control = await openControl(context);
  const instance = document ? undefined : await instanceOf(control);
  const body = document ?? generation(options, instance?.id);
  if (instance) await requireNamed(context, control, `Add ${generate} generated users to ${instanceInWords(instance)}`);
  const result = await control.request("POST /seed", { body });
  if (options.json) return printJson(context, result);
  printRecord(context, Object.fromEntries(Object.entries(result).map(([name, value]) => [name, String(value)])));
  await sayDone(context, options, control, "Added these records to", instance?.id);
}

function generation({ generate = "", seed }: SeedOptions, instance: string | undefined): BodyOf<"POST /seed"> {
  const users = numberFrom("--generate", generate);
  return { generate: { users, seed: seed === undefined ? undefined : numberFrom("--seed", seed), instance } };
}

/** What commands act on, by which choices of a target that one can't obey are refused, for all of them alike. */
import { choicesOf, isTyped, without } from "./choices.ts";
import type { Command } from "commander";
import { commandPath } from "./command-names.ts";
import type { Needs, Surroundings } from "./context.ts";
import { UsageError } from "./errors.ts";

/** What a command needs, or what decides by its flags and arguments. */
export type Declared = Needs | ((flags: Readonly<Record<string, unknown>>, words: readonly string[]) => Needs);

const NEEDS = new WeakMap<Command, Declared>();

export function declareNeeds(command: Command, needs: Declared): void {
  NEEDS.set(command, needs);
}

/** Undefined for a group, which does nothing itself. */
export function needsOf(command: Command, flags = command.opts()): Needs | undefined {
  const declared = NEEDS.get(command);
  return typeof declared === "function" ? declared(flags, command.args) : declared;
}

/** The choices of a target, and what obeys them. */
const OBEYING = {
  profile: ["instance", "server", "either", "profile"],
  base_url: ["instance", "server", "either", "profile"],
  instance: ["instance", "either"],
} as const satisfies Record<string, readonly Needs["on"][]>;

const WHY: Readonly<Record<Needs["on"], string>> = {
  instance: "",
  either: "",
  server: "acts on all instances of a server",
  own: "starts a server of its own",
  store: "acts on a store, which --store names",
  profile: "acts on a stored profile",
  nothing: "asks no service",
};

/** Before every command. @throws {UsageError} for a choice that it would have to ignore */
export function addNeeds(program: Command, context: Surroundings): void {
  program.hook("preAction", async (_, command) => {
    const needs = needsOf(command);
    if (!needs) return;
    const { on, changes } = needs;
    const choices = choicesOf(context, program.opts());
    for (const [name, obeying] of Object.entries(OBEYING)) {
      const choice = choices[name as keyof typeof OBEYING];
      // A variable of a shell is for all of its commands; one that names an instance keeps the others from changes.
      const isMeant = isTyped(choice) || (name === "instance" && changes && (on === "server" || on === "store"));
      if (choice === undefined || !isMeant || obeying.some((one) => one === on)) continue;
      throw new UsageError(
        `${choice.source} is not for ${commandPath(command)}, which ${WHY[on]}. Nothing was done.`,
        `To do it, ${without(choice.source)}.`,
      );
    }
    if (on === "instance" || on === "server" || on === "either") await tellOfUnknown(context);
  });
}

/** A variable that does not exist chooses nothing, and people who mistype one believe that it does. */
async function tellOfUnknown({ env, stderr }: Surroundings): Promise<void> {
  const given = Object.keys(env).filter((name) => name.startsWith("SVC_") && env[name]);
  if (given.length === 0) return;
  const { ENVIRONMENT } = await import("./help/environment.ts");
  for (const name of given)
    if (!Object.hasOwn(ENVIRONMENT, name) && !/^SVC_[A-Z]+_CLIENT_(?:ID|SECRET)$/.test(name))
      stderr.write(`svc knows no variable ${name}. Those that it reads: svc help environment\n`);
}

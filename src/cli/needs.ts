/** What commands act on, by which choices of a target that one can't obey are refused, for all of them alike. */
import type { Command } from "commander";
import type { Context, Needs } from "./context.ts";
import { UsageError } from "./errors.ts";

const NEEDS = new WeakMap<Command, Needs>();

export function declareNeeds(command: Command, needs: Needs): void {
  NEEDS.set(command, needs);
}

/** Undefined for a group, which does nothing itself. */
export function needsOf(command: Command): Needs | undefined {
  return NEEDS.get(command);
}

/** The flags that choose a target, and what obeys them. */
const CHOICES = {
  profile: ["--profile", ["instance", "server", "profile"]],
  baseUrl: ["--base-url", ["instance", "server", "profile"]],
  instance: ["--instance", ["instance"]],
} as const satisfies Record<string, readonly [string, readonly Needs["on"][]]>;

const WHY: Readonly<Record<Needs["on"], string>> = {
  instance: "",
  server: "acts on all instances of a server",
  store: "acts on a store, which --store names",
  profile: "acts on a stored profile",
  nothing: "asks no service",
};

/** Before every command. @throws {UsageError} for a choice that it would have to ignore */
export function addNeeds(program: Command, context: Context): void {
  program.hook("preAction", async (_, command) => {
    const needs = needsOf(command);
    if (!needs) return;
    const { on, changes } = needs;
    for (const [name, [flag, obeying]] of Object.entries(CHOICES))
      if (program.getOptionValue(name) !== undefined && !obeying.some((one) => one === on))
        throw new UsageError(`${flag} is not for ${nameOf(command)}, which ${WHY[on]}.`, `Omit ${flag}.`);
    if (changes && (on === "server" || on === "store") && context.env["SVC_INSTANCE"])
      throw new UsageError(
        `SVC_INSTANCE is not for ${nameOf(command)}, which ${WHY[on]}. Nothing was done.`,
        "Unset it.",
      );
    if (on === "instance" || on === "server") await tellOfUnknown(context);
  });
}

/** A variable that does not exist chooses nothing, and people who mistype one believe that it does. */
async function tellOfUnknown({ env, stderr }: Context): Promise<void> {
  const given = Object.keys(env).filter((name) => name.startsWith("SVC_") && env[name]);
  if (given.length === 0) return;
  const { ENVIRONMENT } = await import("./help/environment.ts");
  for (const name of given)
    if (!Object.hasOwn(ENVIRONMENT, name) && !/^SVC_[A-Z]+_CLIENT_(?:ID|SECRET)$/.test(name))
      stderr.write(`svc knows no variable ${name}. Those that it reads: svc help environment\n`);
}

/** As it is typed, such as `svc dev clock set`. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

import { Argument } from "commander";
import { runs, withHelp, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { readStdin } from "../../files.ts";
import { EXIT } from "../../errors.ts";
import { harmless } from "../../output/text.ts";
import { complete } from "./complete.ts";
import { splitLine } from "./line.ts";
import { SCRIPTS, type Shell } from "./scripts.ts";

export function addCompletion(program: Program, context: Context): void {
  const shells = Object.keys(SCRIPTS);
  const command = program.command("completion").addArgument(new Argument("<shell>", "the shell").choices(shells));
  withHelp(command, {
    examples: [
      ["svc completion bash > svc.bash", "bash"],
      ["svc completion zsh > _svc", "zsh"],
      ["svc completion fish > svc.fish", "fish"],
      ["svc completion powershell > svc.ps1", "PowerShell"],
    ],
    exits: [EXIT.done, EXIT.usage],
    notes:
      "Completes commands, options and their values, profiles, instances, the fields of a search, and the ids of users " +
      "and sessions. For ids it asks the local server, or the service whose key is in SVC_SECRET_KEY, and waits a second " +
      "at most.\n\n" +
      "Where to put the script:\n" +
      "  bash        ~/.local/share/bash-completion/completions/svc\n" +
      "  zsh         _svc, in a directory of fpath\n" +
      "  fish        ~/.config/fish/completions/svc.fish\n" +
      "  PowerShell  at the end of $PROFILE\n\n" +
      "Without svc in the PATH, define it in your shell's start-up file:\n" +
      '  bash, zsh   svc() { npx svc-identity "$@"; }\n' +
      "  fish        function svc; npx svc-identity $argv; end",
  });
  runs(command, (_: object, shell: Shell) => runCompletion(context, shell));
}

/** Prints a shell's completion script. */
export async function runCompletion({ stdout }: Context, shell: Shell): Promise<void> {
  stdout.write(SCRIPTS[shell]);
}

/** Asked by the scripts. The line comes by standard input, because it may contain secrets. */
export function addComplete(program: Program, context: Context): void {
  runs(program.command("__complete", { hidden: true }), () => runComplete(context, program));
}

/** Prints what can be typed next, a line each. */
export async function runComplete(context: Context, program: Program): Promise<void> {
  // Some shells end what they pass on with a line end of their own.
  const line = (await readStdin(context)).replace(/\r?\n$/, "");
  const words = splitLine(line);
  const loaded = await program.having((name) => words.includes(name));
  for (const { value, description = "" } of await complete(loaded, context, words))
    context.stdout.write(`${value}\t${harmless(description)}\n`);
}

import { Argument } from "commander";
import { runs, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { EXIT } from "../../errors.ts";
import { SCRIPTS, type Shell } from "./scripts.ts";

export function add(program: Program, context: Context): void {
  const shells = Object.keys(SCRIPTS);
  const command = program.command("completion").addArgument(new Argument("<shell>", "the shell").choices(shells));
  runs(command, context, (_, _flags: object, shell: Shell) => runCompletion(context, shell), {
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
}

export async function runCompletion({ stdout }: Context, shell: Shell): Promise<void> {
  stdout.write(SCRIPTS[shell]);
}

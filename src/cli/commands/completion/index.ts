import { Argument } from "commander";
import { runs, type Program } from "../../command.ts";
import type { Context, Surroundings } from "../../context.ts";

export function add(program: Program, context: Surroundings): void {
  const shells = Object.keys(SCRIPTS);
  const command = program.command("completion").addArgument(new Argument("<shell>", "the shell").choices(shells));
  runs(command, context, { on: "nothing" }, (given, _: object, shell: Shell) => runCompletion(given, shell), {
    examples: [
      ["svc completion bash > svc.bash", "bash"],
      ["svc completion zsh > _svc", "zsh"],
      ["svc completion fish > svc.fish", "fish"],
      ["svc completion powershell > svc.ps1", "PowerShell"],
    ],
    notes:
      "Completes commands, options and their values, profiles, instances and the fields of a search.\n\n" +
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

/** Each gives the line up to the cursor to `svc __complete`, and takes `value<TAB>description` lines from it. */
export const SCRIPTS = {
  bash: `# bash completion for svc
_svc_completion() {
  local line="\${COMP_LINE:0:COMP_POINT}" current value prefix="" rest breaks="\${COMP_WORDBREAKS//[^:=@]/}"
  [[ "$line" == *[[:space:]] ]] || current="\${line##*[[:space:]]}"
  # Outside quotes bash replaces only what follows the last of these, and the @ itself.
  case "$current" in
    [\\'\\"]*) ;;
    *[:=@]*) [[ -n "$breaks" ]] && rest="\${current##*["$breaks"]}" && prefix="\${current%"$rest"}" && prefix="\${prefix%@}" ;;
  esac
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    if [[ "$value" == ":files" ]]; then
      compopt -o default
      return
    fi
    COMPREPLY+=("\${value#"$prefix"}")
  done < <(printf '%s' "$line" | "\${COMP_WORDS[0]}" __complete 2>/dev/null)
  [[ "\${#COMPREPLY[@]}" -gt 0 && "\${COMPREPLY[0]}" == *[:=] ]] && compopt -o nospace
  return 0
}
complete -F _svc_completion svc svc-identity
`,
  zsh: `#compdef svc svc-identity
_svc() {
  local -a plain plain_shown open open_shown
  local line value description
  while IFS=$'\\t' read -r value description; do
    if [[ "$value" == ":files" ]]; then
      _files
      return
    fi
    if [[ "$value" == *[:=] ]]; then
      open+=("$value") open_shown+=("$value  $description")
    else
      plain+=("$value") plain_shown+=("$value  $description")
    fi
  done < <(print -rn -- "\${(j: :)words[1,CURRENT-1]} $PREFIX" | "\${words[1]}" __complete 2>/dev/null)
  (( \${#open} )) && compadd -l -S '' -d open_shown -a open
  (( \${#plain} )) && compadd -l -d plain_shown -a plain
}
if [[ "$funcstack[1]" == "_svc" ]]; then
  _svc "$@"
else
  compdef _svc svc svc-identity
fi
`,
  fish: `# fish completion for svc
function __svc_completion
  set -l words (commandline -opc)
  set -l lines (commandline -cp | $words[1] __complete 2>/dev/null)
  if string match -q ':files*' -- $lines[1]
    __fish_complete_path (commandline -ct)
    return
  end
  test (count $lines) -gt 0; and printf '%s\\n' $lines
end
complete -c svc -f -a '(__svc_completion)'
complete -c svc-identity -f -a '(__svc_completion)'
`,
  powershell: `# PowerShell completion for svc
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $line = $commandAst.ToString()
  $length = $cursorPosition - $commandAst.Extent.StartOffset
  $line = if ($length -gt $line.Length) { $line + ' ' } else { $line.Substring(0, $length) }
  $line | svc __complete 2>$null | ForEach-Object {
    $value, $description = $_ -split "\`t", 2
    if ($value -ne ':files') {
      $shown = if ($description) { $description } else { $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $shown)
    }
  }
}
`,
} as const;

export type Shell = keyof typeof SCRIPTS;

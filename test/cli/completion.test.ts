// Below the faces: the scripts are given to the shells.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { SCRIPTS } from "../../src/cli/commands/completion/index.ts";
import { writeProfile } from "../../src/cli/credentials/profiles.ts";
import { BIN } from "../_paths.ts";
import { writeRunning } from "../_server-file.ts";
import { createContext, runCli } from "../_cli.ts";
import { needs } from "../_machine.ts";
import { openTerminal } from "../_pty.ts";
import { PROVIDERS, SESSION_PROVIDERS } from "../../src/wire/providers.ts";

const run = promisify(execFile);

let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "svc-completion-"));
  env = {
    HOME: home,
    SVC_DATA_DIR: process.env["SVC_DATA_DIR"]!,
    PATH: `${home}/bin:${process.env["PATH"]}`,
    TERM: "xterm",
    LC_ALL: "C.UTF-8",
    NODE_DISABLE_COMPILE_CACHE: "1",
  };
  const context = createContext({ env });
  for (const name of ["staging", "production"]) await writeProfile(context, name, { base_url: "https://a.svc.test" });
  const local = { name: "x", url: "http://x.localhost:1", publishable_key: "pk_x", secret_key: "sk_x" };
  await writeRunning(home, {
    pid: process.pid,
    url: "http://localhost:1",
    api_url: "http://api.localhost:1",
    instances: ["acme", "globex"].map((subdomain) => ({ id: subdomain, subdomain, ...local })),
  });
  await mkdir(join(home, "bin"));
  for (const name of ["svc", "svc-identity"])
    await writeFile(join(home, "bin", name), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, { mode: 0o755 });
  for (const [shell, script] of Object.entries(SCRIPTS)) await writeFile(join(home, `completion.${shell}`), script);
  await writeFile(join(home, "seed-of-mine.json"), "{}");
});

async function completed(line: string): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(["__complete"], { stdin: line, cwd: home, env: { HOME: home } });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").flatMap((one) => one.split("\t")[0] || []);
}

describe("svc __complete", () => {
  it.each<[line: string, values: string[]]>([
    ["svc use", ["users"]],
    ["svc users ", ["get", "list", "search", "delete"]],
    ["svc users li", ["list"]],
    ["svc --json users li", ["list"]],
    ["svc --profile users sessions se", ["search"]],
    ["svc users list --profile ", ["production", "staging"]],
    ["svc users list --instance ", ["acme", "globex"]],
    ["svc sign-in --provider g", ["google", "github"]],
    ["svc serve --providers ", ["auto", "real", "simulated"]],
    ["svc serve --seed ", [":files"]],
    ["svc profiles use ", ["production", "staging"]],
    ["svc completion z", ["zsh"]],
    ["svc help q", ["query"]],
    ["svc help users g", ["get"]],
    ["svc open d", ["dashboard"]],
    ["svc users search em", ["email:", "email_verified_at:"]],
    ["svc users search 'em", ["email:", "email_verified_at:"]],
    ["svc users search email:a* na", ["name:"]],
    ["svc sessions search provider:", SESSION_PROVIDERS.map((name) => `provider:${name}`)],
    ["svc sessions search -provider:p", ["-provider:password"]],
    ["svc users search -na", ["-name:"]],
    ["svc users search password", []],
    ["svc sessions search --provider ", [...SESSION_PROVIDERS]],
    ["svc users search --provider ", [...PROVIDERS]],
    ["svc users search provider:", PROVIDERS.map((name) => `provider:${name}`)],
    ["svc sign-in --provider ", [...PROVIDERS]],
    ["svc users search --explain na", ["name:"]],
    ["svc sessions search --explain provider:t", ["provider:twitter"]],
    ["svc dev instances update g", ["globex"]],
    ["svc sign-in --no-o", ["--no-open"]],
    ["svc login --in", ["--insecure-storage", "--instance", "--insecure"]],
    ["svc users li\n", ["list"]],
    ["svc users \r\n", ["get", "list", "search", "delete"]],
    ["svc nonsense ", []],
    ["svc users get 'it's", []],
  ])("completes %j to %j", async (line, values) => {
    expect(await completed(line)).toEqual(values);
  });

  it("knows every command and omits hidden ones", async () => {
    const { stdout } = await runCli(["help", "--json"]);
    const { commands } = JSON.parse(stdout) as { commands: { command: string }[] };
    expect(await completed("svc ")).toEqual(commands.map(({ command }) => command.replace("svc ", "")));
    expect(stdout).not.toContain("__complete");
  });

  it("ignores a damaged configuration", async () => {
    const options = { stdin: "svc --profile ", env: { HOME: "/dev/null" } };
    expect(await runCli(["__complete"], options)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});

describe("Completion in bash", needs("bash"), () => {
  /** The offers of TAB; bash itself splits the line, at colons too. */
  async function offered(line: string): Promise<string[]> {
    const script = `
      source "$HOME/completion.bash"
      compopt() { :; }
      COMP_LINE=$1 COMP_POINT=\${#1}
      COMP_WORDS=($2) COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
      COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
      _svc_completion
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["--norc", "-c", script, "bash", line, "svc"], { env, cwd: home });
    return stdout.trim().split("\n").filter(Boolean);
  }

  it.each([
    ["svc users l", ["list"]],
    ["svc users list --profile s", ["staging"]],
    ["svc sessions search provider:g", ["google", "github"]],
    ["svc sessions search 'provider:g", ["provider:google", "provider:github"]],
    ["svc sessions search -provider:g", ["google", "github"]],
  ])("of %j offers %j", async (line, values) => {
    expect(await offered(line)).toEqual(values);
  });
});

describe("Completion on a terminal", () => {
  const shells: [shell: "bash" | "zsh" | "fish", command: string, start: string][] = [
    ["bash", "bash --norc --noprofile", "source ~/completion.bash"],
    ["zsh", "zsh -f", "autoload -Uz compinit; compinit -D; source ~/completion.zsh"],
    ["fish", "fish --no-config", "source ~/completion.fish"],
  ];

  for (const [shell, command, start] of shells) {
    const name = `in ${shell} finishes a started word, also where svc stands for npx svc-identity`;
    it(name, needs("a terminal", shell), async () => {
      const directory = join(home, "npx");
      await mkdir(directory, { recursive: true });
      const script = `#!/bin/sh\n[ "$1" = svc-identity ] && shift && exec '${process.execPath}' '${BIN}' "$@"\n`;
      await writeFile(join(directory, "npx"), script, { mode: 0o755 });
      const terminal = openTerminal(command, home, { ...env, PATH: `${directory}:${process.env["PATH"]}` });
      try {
        // As the command's help says.
        const { stdout } = await runCli(["completion", "--help"]);
        const defined = new RegExp(`^  ${shell === "fish" ? "fish" : "bash, zsh"} +(.*npx.*)$`, "m").exec(stdout)![1]!;
        terminal.type(`${defined}\n${start}; echo rea''dy\n`);
        await terminal.until(/ready/);
        const before = terminal.shown().length;
        // Ctrl-A and echo: prints the completed line without running svc.
        terminal.type("svc sess\tse\tuser_i\tx prov\tgoo\t\u0001echo LINE \n");
        await terminal.until(/^\s*LINE svc .*$/m, before);
        expect(terminal.shown().slice(before)).toMatch(/LINE svc sessions search user_id:x provider:google\s/);
      } finally {
        terminal.end();
      }
    });
  }
});

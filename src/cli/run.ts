import { CommanderError, type Command } from "commander";
import { protectTerms } from "./argv.ts";
import { addCommands } from "./commands/index.ts";
import type { Context } from "./context.ts";
import { CliError, EXIT, toFailure } from "./errors.ts";
import { asRun } from "./format.ts";
import { addOutputFlags, asksForJson, withoutColor } from "./output-flags.ts";
import { colors, harmless, harmlessJson } from "./output.ts";
import { Program } from "./program.ts";

const SECRET_IN_ARGV = /^--secret-key(=|$)|^(-[A-Za-z]|[\w-]+=)?sk_/;

/** Parses, runs the command, and says what went wrong. @returns the exit code */
export async function runProgram(argv: readonly string[], world: Context, version: string): Promise<number> {
  const asJson = asksForJson(argv);
  const context = withoutColor(argv, world);
  const program = createProgram(context, version, asJson);
  try {
    if (argv.some((argument) => SECRET_IN_ARGV.test(argument)))
      throw new CliError(
        EXIT.usage,
        "A secret key in an argument can be seen by other users and stays in your shell's history.",
        "Put it in SVC_SECRET_KEY. If that was a real key, replace it.",
      );
    await program.parseAsync(protectTerms(argv, valueOptions(program)), { from: "user" });
    return program.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done;
      if (!asJson) return EXIT.usage;
      return explain(new CliError(EXIT.usage, asTyped(error.message).replace(/^error: /, "")), context, true);
    }
    return explain(error, context, asJson);
  }
}

function createProgram(context: Context, version: string, asJson: boolean): Program {
  const program = new Program("svc");
  program
    .description(
      "Sign users in through google, github and twitter: a local server, and commands to look after users, sessions and tokens.",
    )
    .version(version, "-V, --version", "print the version")
    .option("--json", "print the API's JSON, and errors as JSON on stderr")
    .option("--instance <name>", "the instance of a local server: subdomain, id or publishable key")
    .option("--base-url <url>", "the address of your instance (SVC_BASE_URL)")
    .option("--api-url <url>", "the address of the service, where instances are resolved (SVC_API_URL)")
    .helpCommand("help [command]", "print a command's help")
    .showHelpAfterError("(add --help for all that it takes)")
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => void (asJson || context.stderr.write(asTyped(text))),
      getOutHasColors: () => colors(context.stdout, context).level > 0,
      getErrHasColors: () => colors(context.stderr, context).level > 0,
    })
    .exitOverride()
    .addHelpText(
      "after",
      `
Begin with:
  svc serve                                    run the service here, all providers simulated
  svc sign-in --provider github                sign in in a browser, and see what the token says
  svc users search 'email:*@acme.com'          find users
  svc tokens verify - < token.txt              exit code 0 if the token is valid, 5 if not

Environment: SVC_SECRET_KEY, SVC_BASE_URL, SVC_PUBLISHABLE_KEY, SVC_API_URL, NO_COLOR.
Without them the commands ask the server that runs in this directory.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 no key or key refused,
5 token not valid, 7 unreachable, 8 port or store in use, 130 interrupted.`,
    );
  addOutputFlags(program);
  addCommands(program, context);
  return program;
}

/** A negated term in a place that takes none is named as it was typed. */
function asTyped(message: string): string {
  return message.replace("'--not=", "'-");
}

/** The long options, of all commands, that take the next argument. */
function valueOptions(command: Command): Set<string> {
  const own = command.options.flatMap((option) => (option.required && option.long ? [option.long] : []));
  return new Set([...own, ...command.commands.flatMap((child) => [...valueOptions(child)])]);
}

function explain(error: unknown, context: Context, asJson: boolean): number {
  const { exitCode, code, message, hint } = toFailure(error);
  if (asJson) {
    context.stderr.write(`${harmlessJson({ error: { code, message, ...(hint && { hint }), exitCode } })}\n`);
    return exitCode;
  }
  const chalk = colors(context.stderr, context);
  const lines = message.split("\n").map(harmless);
  context.stderr.write(`${chalk.red("✗")} ${lines.join("\n")}\n${hint ? `  ${harmless(asRun(hint, context))}\n` : ""}`);
  return exitCode;
}

import { choicesOf } from "./choices.ts";
import { CommanderError } from "commander";
import { explainFailure } from "./connection/explain-failure.ts";
import { createNetwork } from "./connection/network.ts";
import type { Network, Surroundings, World } from "./context.ts";
import { createProgram } from "./create-program.ts";
import { childOf, optionsOf } from "./help/tree.ts";
import type { Program } from "./command.ts";
import { CliError, ERRORS_PAGE, EXIT, UsageError, type ExitCode } from "./errors.ts";
import { asksForJson } from "./output/flags.ts";
import { asRun, colors, counted, harmless, harmlessJson, quoted } from "./output/text.ts";

/** An e-mail address may begin like a key, which never has an @. */
const SECRET_IN_ARGV = /^--(?:secret|control)-key(=|$)|^(-[A-Za-z]|[\w-]+=)?(?:sk|ctl)_[^@]*$/;

/** Parses, runs the command, and says what went wrong. @returns the exit code */
export async function runProgram(argv: readonly string[], world: World, version: string): Promise<number> {
  // Flags such as --timeout are written into this copy of the environment.
  const env: Record<string, string | undefined> = { ...world.env };
  const network = createNetwork({ ...world, env });
  const context = { ...world, env, network };
  // A noun may be typed in the singular.
  const words = new Set([...argv, ...argv.map((word) => `${word}s`)]);
  // A word that is a value as well loads one command more, which does no harm.
  const program = await createProgram(context, version, (name) => words.has(name));
  const own = ownWords(argv, program);
  const rest = argv.slice(own.length).filter((word, i) => i > 0 || word !== "--");
  if (own.includes("--no-color")) Object.assign(env, { NO_COLOR: "1", FORCE_COLOR: "0" });
  context.onLostOutput((code) => explain(lostOutput(code, network), context, own));
  try {
    if ((own.includes("exec") ? own : argv).some((argument) => SECRET_IN_ARGV.test(argument)))
      throw new UsageError(
        "Other users can see a secret key in an argument, and your shell's history keeps it.",
        "Set SVC_SECRET_KEY, or pipe the key to svc login. If that was a real key, replace it.",
      );
    await program.parseAsync(own.length === argv.length ? argv : [...own, "--", ...rest], { from: "user" });
    return program.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError))
      return explain(error, context, own, choicesOf(context, program.opts()).instance !== undefined);
    // Help was printed, as it is for a group without a command.
    if (error.exitCode === 0 || error.code === "commander.help") return EXIT.done;
    const { usageError } = await import("./help/usage-error.ts");
    return explain(await usageError(error.message, argv, program), context, own);
  } finally {
    network.end();
  }
}

function lostOutput(code: string, { changes }: Network): CliError {
  const isDone = `Before that the service made ${counted(changes, "change")}, which ${changes === 1 ? "stays" : "stay"}.`;
  return new CliError(EXIT.failed, `Standard output cannot be written (${code}).`, changes > 0 ? isDone : undefined);
}

/** The words that svc reads: behind `--`, and behind the first word of `svc exec`, all is another command's. */
function ownWords(argv: readonly string[], program: Program): readonly string[] {
  const dashes = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const exec = childOf(program, "exec");
  if (!exec) return argv.slice(0, dashes);
  const takeValues = new Set(optionsOf(exec).flatMap(({ required, long }) => (required && long ? [long] : [])));
  const operands = argv.flatMap((word, i) => (word.startsWith("-") || takeValues.has(argv[i - 1]!) ? [] : [i]));
  const [first = -1, second = dashes] = operands;
  return argv.slice(0, argv[first] === "exec" ? Math.min(second, dashes) : dashes);
}

/** @param namesInstance whether `--instance` is given: one that does not exist is wrong usage, and no missing record */
function explain(cause: unknown, context: Surroundings, own: readonly string[], namesInstance = false): ExitCode {
  const failure = explainFailure(context, cause);
  const { code } = failure;
  const exitCode = namesInstance && code === "instance_not_found" ? EXIT.usage : failure.exitCode;
  const message = asRun(failure.message, context);
  const hint = failure.hint && asRun(atTarget(failure.hint, own), context);
  if (asksForJson(own)) {
    const error = { code, message, ...(hint && { hint }), docs: `${ERRORS_PAGE}#${code}`, exitCode };
    context.stderr.write(`${harmlessJson({ error })}\n`);
    return exitCode;
  }
  const chalk = colors(context.stderr, context);
  const lines = message.split("\n").map(harmless);
  context.stderr.write(`${chalk.red("✗")} ${lines.join("\n")}\n${hint ? `  ${harmless(hint)}\n` : ""}`);
  return exitCode;
}

/** Commands about records: without the flags that named a service or an instance, one would be about other records. */
const ABOUT_RECORDS = /\bsvc (?=(?:users|sessions|tokens|logs|sign-in|dev (?:users|sessions|token|keys|reset|next)) )/g;

/** The commands of a hint for the target that was typed. */
function atTarget(hint: string, own: readonly string[]): string {
  const typed = own.flatMap((word, i) => {
    const [, flag, value = own[i + 1]] = /^(--(?:instance|profile|base-url))(?:=(.*))?$/s.exec(word) ?? [];
    return flag && value && !hint.includes(flag) ? [`${flag} ${quoted(value)} `] : [];
  });
  return hint.replace(ABOUT_RECORDS, (svc) => `${svc}${typed.join("")}`);
}

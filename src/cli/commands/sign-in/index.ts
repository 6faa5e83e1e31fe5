import { Option } from "commander";
import { setTimeout as pause } from "node:timers/promises";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { openTarget } from "../../connection/client.ts";
import { openControl } from "../../connection/control.ts";
import { fetchOf } from "../../connection/exchange.ts";
import type { Target } from "../../connection/sources.ts";
import { resolveTarget } from "../../connection/target.ts";
import { runs, withHelp, type GlobalFlags, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, EXIT, EXIT_BY_SIGNAL, UsageError } from "../../errors.ts";
import { counted, harmless, printJson, printRecord } from "../../output/text.ts";
import { inWords } from "../../output/claims.ts";
import { signInWithBrowser } from "./with-browser.ts";
import { signInAs } from "./without-browser.ts";

const DEFAULT_SECONDS = "300";

export interface SignInOptions extends GlobalFlags {
  readonly provider?: Provider;
  readonly as?: string;
  readonly open: boolean;
  readonly token?: boolean;
}

export function addSignIn(program: Program, context: Context): void {
  const command = program
    .command("sign-in")
    .addOption(
      new Option("--provider <provider>", "the provider to sign in with; default: the instance's own").choices(
        PROVIDERS,
      ),
    )
    .option("--as <account>", "sign in as this persona or e-mail address without a browser; simulated providers only")
    .option("--no-open", "print the link, and do not open a browser")
    .option("--token", "print only the token");
  withHelp(command, {
    examples: [
      ["svc sign-in --provider github", "in a browser"],
      ["svc sign-in --as ada@acme.test --token", "in a script, without a browser"],
    ],
    exits: [
      EXIT.done,
      EXIT.failed,
      EXIT.usage,
      EXIT.notFound,
      EXIT.noKey,
      EXIT.tokenInvalid,
      EXIT.unreachable,
      EXIT.interrupted,
    ],
    notes: `Waits ${DEFAULT_SECONDS} seconds for the sign-in, unless --timeout is given. Where no browser can be opened and
standard error is not a terminal, fails at once: use --as, or --no-open to wait for whoever opens the link.

If the instance has redirect_uris, the browser returns to the first http address on this machine among them, at a
port of this command's own.`,
  });
  runs(command, (options: SignInOptions) => runSignIn(context, options));
}

/** Signs in as a user would, and prints the token or its claims. */
export async function runSignIn(context: Context, options: SignInOptions): Promise<void> {
  if (options.as === "") throw new UsageError("--as is empty.", "Check that the variable is set.");
  const seconds = Number(options.timeout ?? DEFAULT_SECONDS);
  const stopped = context.untilSignal();
  const target = await resolveTarget(context, options);
  const client = await openTarget(context, target);
  const done = new AbortController();
  const signIn = {
    client,
    provider: options.provider,
    fetch: fetchOf(context, { certificate: target.server?.certificate, timeoutMs: seconds * 1000 }),
    redirect_uris: await redirectUrisOf(context, target),
    signal: done.signal,
  };
  try {
    const token = await Promise.race([
      options.as
        ? signInAs(signIn, options.as)
        : signInWithBrowser(context, signIn, { open: options.open, seconds, server: target.server }),
      tooLate(seconds, done.signal),
      interrupted(stopped),
    ]);
    const [{ decodeToken }] = await Promise.all([import("../../../client/verify.ts"), client.tokens.verify(token)]);
    const { claims } = decodeToken(token);
    if (options.token) context.stdout.write(`${harmless(token)}\n`);
    else if (options.json) printJson(context, claims);
    else printRecord(context, inWords(claims, context));
  } finally {
    done.abort();
  }
}

/** The instance's `redirect_uris`, by the local server's file, or by the control API of a service that the environment names. */
async function redirectUrisOf(context: Context, target: Target): Promise<readonly string[]> {
  const { publishable_key: key } = target;
  if (!context.env["SVC_CONTROL_URL"] || key?.source !== "SVC_PUBLISHABLE_KEY") return target.redirect_uris ?? [];
  const control = await openControl(context, {});
  for await (const { data } of control.rows("GET /instances"))
    if (data.publishable_key === key.value) return data.redirect_uris;
  return [];
}

async function tooLate(seconds: number, signal: AbortSignal): Promise<never> {
  await pause(seconds * 1000, undefined, { signal });
  throw new CliError(
    EXIT.unreachable,
    `No sign-in within ${counted(seconds, "second")}.`,
    "Allow more time with --timeout.",
    "timeout",
  );
}

async function interrupted(stopped: Promise<"SIGINT" | "SIGTERM">): Promise<never> {
  throw new CliError(EXIT_BY_SIGNAL[await stopped], "Interrupted before the sign-in was complete.");
}

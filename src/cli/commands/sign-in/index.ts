import { setTimeout as pause } from "node:timers/promises";
import { isProvider, PROVIDERS, type Provider } from "../../../wire/names.ts";
import { relativeTime } from "../../../wire/relative-time.ts";
import { openTarget } from "../../connection/client.ts";
import { fetchOf } from "../../connection/fetch.ts";
import { resolveTarget } from "../../connection/target.ts";
import { runs, withHelp, type GlobalFlags, type Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT, EXIT_BY_SIGNAL } from "../../exit-codes.ts";
import { printJson, printRecord } from "../../output/text.ts";
import { enter } from "./enter.ts";
import { openLanding } from "./landing.ts";

const DEFAULT_SECONDS = "300";

export interface SignInOptions extends GlobalFlags {
  readonly provider?: string;
  readonly as?: string;
  readonly open: boolean;
  readonly token?: boolean;
}

export function addSignIn(program: Program, context: Context): void {
  const command = program
    .command("sign-in")
    .option("--provider <name>", `${PROVIDERS.join(", ")}; default: the instance's own`)
    .option("--as <account>", "sign in with this e-mail address, without a page at simulated providers")
    .option("--no-open", "print the link, and do not open a browser")
    .option("--token", "print only the token, to pipe on");
  withHelp(command, {
    examples: [
      ["svc sign-in --provider github", "in a browser"],
      ["svc sign-in --as ada@acme.test --token", "in a script, without a browser"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.noKey, EXIT.tokenInvalid, EXIT.unreachable, EXIT.interrupted],
    notes: `Waits ${DEFAULT_SECONDS} seconds for the sign-in, unless --timeout says otherwise.`,
  });
  runs(command, (options: SignInOptions) => runSignIn(context, options));
}

/** Signs in as a user would, and prints the token or its claims. */
export async function runSignIn(context: Context, options: SignInOptions): Promise<void> {
  const provider = checkProvider(options.provider);
  if (options.as === "") throw new CliError(EXIT.usage, "--as is empty.", "Check that the variable is set.");
  const seconds = Number(options.timeout ?? DEFAULT_SECONDS);
  const stopped = context.untilSignal();
  const target = await resolveTarget(context, options);
  const client = await openTarget(context, target);
  const landing = await openLanding();
  try {
    const url = await client.signInUrl({
      redirectUri: landing.url,
      ...(provider && { provider }),
      ...(options.as && { loginHint: options.as }),
    });
    const isDone = await enter(url, landing, options.as, await fetchOf(context, target));
    if (!isDone) context.stderr.write(`Sign in at:\n  ${url}\nWaiting for the sign-in. Press Ctrl-C to stop.\n`);
    if (!isDone && options.open)
      await context.openBrowser(url).catch(() => context.stderr.write("Could not open a browser. Open the link.\n"));
    const token = await withDeadline(landing.token, seconds, stopped);
    const [{ decodeToken }] = await Promise.all([import("../../../client/verify.ts"), client.tokens.verify(token)]);
    const { claims } = decodeToken(token);
    if (options.token) context.stdout.write(`${token}\n`);
    else if (options.json) printJson(context, claims);
    else printRecord(context, readable(claims, context));
  } finally {
    landing.close();
  }
}

async function withDeadline(
  token: Promise<string>,
  seconds: number,
  stopped: Promise<"SIGINT" | "SIGTERM">,
): Promise<string> {
  const done = new AbortController();
  const late = pause(seconds * 1000, undefined, { signal: done.signal }).then(() => {
    throw new CliError(EXIT.unreachable, `No sign-in within ${seconds} seconds.`, "Allow more time with --timeout.");
  });
  const ended = stopped.then((signal) => {
    throw new CliError(EXIT_BY_SIGNAL[signal], "Interrupted before the sign-in was complete.");
  });
  try {
    return await Promise.race([token, late, ended]);
  } finally {
    done.abort();
  }
}

function checkProvider(name: string | undefined): Provider | undefined {
  if (name !== undefined && !isProvider(name))
    throw new CliError(EXIT.usage, `--provider: unknown provider "${name}".`, `Use one of ${PROVIDERS.join(", ")}.`);
  return name;
}

function readable(claims: object, context: Context): Record<string, string> {
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => {
      const isTime = name === "iat" || name === "exp";
      const shown = isTime ? ` (${relativeTime(Number(value) * 1000, context.now())})` : "";
      return [name, `${String(value)}${shown}`];
    }),
  );
}

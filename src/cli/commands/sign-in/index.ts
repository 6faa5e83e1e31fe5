import { setTimeout as pause } from "node:timers/promises";
import { Option } from "commander";
import { OUTCOME_IDS, type OutcomeId } from "../../../wire/outcomes.ts";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { runs, type Flags, type Program } from "../../command.ts";
import { NO_USER, openTarget } from "../../connection/client.ts";
import { controlOf } from "../../connection/control.ts";
import { fetchOf } from "../../connection/exchange.ts";
import type { Target } from "../../connection/sources.ts";
import { whereDone, resolveTarget } from "../../connection/target.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError, CliError, EXIT, EXIT_BY_SIGNAL } from "../../errors.ts";
import { inWords } from "../../output/claims.ts";
import { hasDesktop } from "../../output/prompts.ts";
import { counted, harmless, printJson, printRecord, say } from "../../output/text.ts";
import { openPrivately } from "../redirect-file.ts";
import { openLanding } from "./landing.ts";
import { signInAs, stepRefused, step, type SignIn } from "./steps.ts";

const DEFAULT_SECONDS = "300";

export interface SignInOptions extends Flags<"as", "token"> {
  readonly provider?: Provider;
  readonly outcome?: OutcomeId;
  readonly open: boolean;
}

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("sign-in")
    .addOption(
      new Option("--provider <provider>", "the provider to sign in with; default: the instance's own").choices(
        PROVIDERS,
      ),
    )
    .option("--as <account>", "sign in as this persona or e-mail address without a browser; simulated providers only")
    .addOption(
      new Option("--outcome <outcome>", "with --as: how it ends, such as access_denied; needs the control API").choices(
        OUTCOME_IDS,
      ),
    )
    .option("--no-open", "print the link, and do not open a browser")
    .option("--token", "print only the token");
  runs(command, context, { on: "instance", changes: true }, runSignIn, {
    examples: [
      ["svc sign-in --provider github", "in a browser"],
      ["svc sign-in --as ada@acme.test --token", "in a script, without a browser"],
      ["svc sign-in --as ada --outcome access_denied", "what your application sees if she declines"],
    ],
    notes: `Waits ${DEFAULT_SECONDS} seconds for the sign-in, unless --timeout is given. Where no browser can be opened and
standard error is not a terminal, fails at once: use --as, or --no-open to wait for whoever opens the link.

If the instance has redirect_uris, the browser returns to the first http address on this machine among them, at a
port of this command's own.`,
  });
}

export async function runSignIn(context: Context, options: SignInOptions): Promise<void> {
  if (options.as === "") throw new UsageError("--as is empty.", "Check that the variable is set.");
  if (options.outcome !== undefined && options.as === undefined)
    throw new UsageError(
      "--outcome needs --as: some outcomes never return from the browser.",
      `Add --as <account>. For a browser: svc dev next --outcome ${options.outcome}`,
    );
  const seconds = Number(options.timeout ?? DEFAULT_SECONDS);
  const stopped = context.untilSignal();
  const target = await resolveTarget(context);
  const client = await openTarget(context, target);
  // A key of another instance is refused here, before there is a user.
  await client.users.search(NO_USER);
  const forget = await decideOutcome(context, target, options);
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
      options.as ? signInAs(signIn, options.as) : signInWithBrowser(context, signIn, options.open, seconds),
      tooLate(seconds, done.signal),
      stopped.then((signal) => {
        throw new CliError(EXIT_BY_SIGNAL[signal], "Interrupted before the sign-in was complete.");
      }),
    ]);
    const [{ decodeToken }] = await Promise.all([import("../../../client/verify.ts"), client.tokens.verify(token)]);
    const { claims } = decodeToken(token);
    if (options.token) context.stdout.write(`${harmless(token)}\n`);
    else if (options.json) printJson(context, claims);
    else {
      printRecord(context, inWords(claims, context));
      say(context, `Signed in at ${whereDone(target, context.network.instance)}.`);
    }
  } finally {
    done.abort();
    await forget();
  }
}

/** Has this sign-in end as `--outcome` says. @returns what takes that back, if the sign-in did not come that far */
async function decideOutcome(
  context: Context,
  { base_url }: Target,
  { as, outcome, provider }: SignInOptions,
): Promise<() => Promise<void>> {
  if (outcome === undefined) return async () => undefined;
  const control = await controlOf(context, base_url?.value);
  if (!control)
    throw new CliError(
      EXIT.precondition,
      "--outcome needs the control API of this service, and none is known.",
      "Set SVC_CONTROL_URL and SVC_CONTROL_KEY, or run it in the directory of svc serve.",
    );
  const match = { provider, login_hint: as };
  const { id } = await control.request("POST /scenarios", { body: { match, outcome, as, label: "svc sign-in" } });
  return async () => void (await control.request("DELETE /scenarios/:id", { params: { id } }).catch(() => undefined));
}

/** The instance's `redirect_uris`, by the local server's file, or by the control API of a service that the environment names. */
async function redirectUrisOf(context: Context, target: Target): Promise<readonly string[]> {
  const { publishable_key: key, base_url } = target;
  if (!context.choices.control_url || key?.source !== "SVC_PUBLISHABLE_KEY") return target.redirect_uris ?? [];
  const control = await controlOf(context, base_url?.value);
  if (!control) return [];
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

/**
 * Signs in by a link that a person opens.
 * @param opens whether to open a browser besides printing the link
 * @param seconds how long the command waits, which it says here
 * @throws {CliError} if the service refuses or fails; and at once where no person is expected to see the link
 */
async function signInWithBrowser(context: Context, signIn: SignIn, opens: boolean, seconds: number): Promise<string> {
  const { client, provider, redirect_uris, signal } = signIn;
  const isSeen = !opens || context.stderr.isTTY;
  if (!isSeen && !hasDesktop(context)) throw noBrowser();
  const landing = await openLanding(redirect_uris, signal);
  const url = await client.signInUrl({ redirectUri: landing.url, ...(provider && { provider }) });
  // So that a refusal is reported here, and not in the browser.
  const response = await step(signIn, url);
  if (response.next === null) throw stepRefused(response, url);
  const limit = counted(seconds, "second");
  context.stderr.write(`Sign in at:\n  ${url}\nWaiting up to ${limit} for the sign-in. Press Ctrl-C to stop.\n`);
  if (opens)
    await openPrivately(context, url, "sign-in").catch(() => {
      if (!isSeen) throw noBrowser();
      context.stderr.write("Could not open a browser. Open the link.\n");
    });
  return landing.token;
}

function noBrowser(): CliError {
  return new UsageError(
    "No browser can be opened here, and standard error is not a terminal.",
    "Without a browser: svc sign-in --as <account>. To print the link and wait: svc sign-in --no-open",
  );
}

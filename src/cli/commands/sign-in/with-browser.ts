import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../../context.ts";
import type { RunningServerFile } from "../../connection/server-file.ts";
import { CliError, EXIT, UsageError } from "../../errors.ts";
import { hasDesktop } from "../../output/prompts.ts";
import { counted } from "../../output/text.ts";
import { openLanding } from "./landing.ts";
import { refused, step, type SignIn } from "./step.ts";

/** How often to look for the local server while a person signs in. One that restarts is back sooner. */
const LOOK_EVERY_MS = 1_500;

export interface BrowserOptions {
  /** Whether to open a browser besides printing the link. */
  readonly open: boolean;
  /** How long the command waits, which it says here. */
  readonly seconds: number;
  /** The server of this directory, if that is the service. */
  readonly server: RunningServerFile | undefined;
}

/**
 * Signs in by a link that a person opens.
 * @throws {CliError} if the service refuses, fails, or has stopped; and at once where no person is expected to see the link
 */
export async function signInWithBrowser(
  context: Context,
  signIn: SignIn,
  { open, seconds, server }: BrowserOptions,
): Promise<string> {
  const { client, provider, redirect_uris, signal } = signIn;
  const isSeen = !open || context.stderr.isTTY;
  if (!isSeen && !hasDesktop(context)) throw noBrowser();
  const landing = await openLanding(redirect_uris, signal);
  const url = await client.signInUrl({ redirectUri: landing.url, ...(provider && { provider }) });
  // So that a refusal is reported here, and not in the browser.
  const response = await step(signIn, url);
  if (response.next === null) throw refused(response, url);
  const limit = counted(seconds, "second");
  context.stderr.write(`Sign in at:\n  ${url}\nWaiting up to ${limit} for the sign-in. Press Ctrl-C to stop.\n`);
  if (open)
    await context.openBrowser(url).catch(() => {
      if (!isSeen) throw noBrowser();
      context.stderr.write("Could not open a browser. Open the link.\n");
    });
  return Promise.race([landing.token, ...(server ? [untilStopped(server, signal)] : [])]);
}

function noBrowser(): CliError {
  return new UsageError(
    "No browser can be opened here, and standard error is not a terminal.",
    "Without a browser: svc sign-in --as <account>. To print the link and wait: svc sign-in --no-open",
  );
}

/** @throws {CliError} when nothing has listened on the server's port twice in a row */
async function untilStopped({ port, url }: RunningServerFile, signal: AbortSignal): Promise<never> {
  for (let refusals = 0; refusals < 2; refusals = (await isRefused(port)) ? refusals + 1 : 0)
    await pause(LOOK_EVERY_MS, undefined, { signal });
  throw new CliError(
    EXIT.unreachable,
    `The server at ${url} stopped before the sign-in was complete.`,
    "Start it again with: svc serve",
  );
}

/** Without a request, which would be in the server's log. */
function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "localhost" }, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED"));
  });
}

import { LRUCache } from "lru-cache";
import { startDeadline } from "../../../client/deadline.ts";
import { repeat, type Fault } from "../../../client/retry.ts";
import type { ControlClient } from "../../../control-client/index.ts";
import type { GlobalFlags } from "../../command.ts";
import { openControl } from "../../connection/control.ts";
import type { Context } from "../../context.ts";
import { EXIT, EXIT_BY_SIGNAL, type ExitCode } from "../../errors.ts";
import { toFailure } from "../../failure.ts";
import { recent, type ServerEvent, type Wanted } from "./events.ts";
import type { View } from "./view.ts";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
const REMEMBERED = 10_000;

/**
 * Shows recent and new events until a signal. If the server stops, waits for it, and uses its new key if it restarts.
 * @param first an open control API
 * @returns the exit code
 */
export async function follow(
  context: Context,
  flags: GlobalFlags,
  { first, wanted, view }: { first: ControlClient; wanted: Wanted; view: View },
): Promise<ExitCode> {
  const stopped = new AbortController();
  let exitCode: ExitCode = EXIT.done;
  const stop = (code: ExitCode): void => {
    exitCode = code;
    stopped.abort();
    context.endSoon(code);
  };
  void context.untilSignal().then((signal) => stop(EXIT_BY_SIGNAL[signal]));
  // After a reconnect the server repeats what it remembers.
  const seen = new LRUCache<string, true>({ max: REMEMBERED });
  const show = async (event: ServerEvent): Promise<void> => {
    const name = nameOf(event);
    if (stopped.signal.aborted || seen.has(name)) return;
    seen.set(name, true);
    view(event);
    // The reader has gone, such as head: nothing failed.
    if ((await context.stdout.ready?.()) === false) stop(EXIT.done);
  };
  for (let control: ControlClient | undefined = first; !stopped.signal.aborted;) {
    await passing(() => watch(control!, wanted, show, stopped.signal), stopped.signal);
    if (stopped.signal.aborted) break;
    context.stderr.write("The connection was lost. Waiting for the server…\n");
    control = await reopened(context, flags, stopped.signal);
    if (control) context.stderr.write("Connected again.\n");
  }
  return exitCode;
}

/** Returns when the server ends the stream. */
async function watch(
  control: ControlClient,
  wanted: Wanted,
  show: (event: ServerEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const events = control.events({ signal });
  // Connected before the past is read, so that nothing falls between the two.
  const first = events.next();
  first.catch(() => undefined);
  for (const event of await recent(control, wanted)) await show(event);
  for (let next = await first; !next.done; next = await events.next()) await show(next.value);
}

/** Tries until there is a server. @returns undefined if the signal came first */
async function reopened(context: Context, flags: GlobalFlags, signal: AbortSignal): Promise<ControlClient | undefined> {
  const deadline = startDeadline(Infinity, signal);
  const open = async (): Promise<ControlClient> => {
    const opened = await openControl(context, flags);
    await opened.request("GET /clock", { signal });
    return opened;
  };
  let wait = FIRST_PAUSE_MS;
  const patience = {
    pauseMs: (fault?: Fault) => fault && (wait = Math.min(2 * wait, LONGEST_PAUSE_MS)),
    end: deadline.end,
  };
  return passing(async () => {
    await deadline.sleep(wait);
    return repeat(
      () => passing(open, signal),
      (outcome) => (outcome.status === "rejected" || outcome.value ? undefined : {}),
      { patience, deadline },
    );
  }, signal).finally(patience.end);
}

/** What a server that stops or starts may cause passes; any other error is thrown. */
async function passing<Result>(act: () => Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  try {
    return await act();
  } catch (error) {
    if (signal.aborted || isCut(error) || toFailure(error).exitCode === EXIT.unreachable) return undefined;
    throw error;
  }
}

/** Whether a stream ended in the middle. */
function isCut(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "ECONNRESET" || code === "UND_ERR_SOCKET" || message === "terminated";
}

/** What tells an event from the one before about the same sign-in. */
function nameOf({ id, resource, data }: ServerEvent): string {
  return resource === "flow" ? `${id} ${data.steps.length} ${data.result}` : id;
}

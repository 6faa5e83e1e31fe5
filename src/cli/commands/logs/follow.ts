import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { ControlClient } from "../../../control-client/index.ts";
import type { GlobalFlags } from "../../command.ts";
import { openControl } from "../../connection/control.ts";
import type { Context } from "../../context.ts";
import { EXIT, EXIT_BY_SIGNAL, type ExitCode } from "../../errors.ts";
import { toFailure } from "../../failure.ts";
import { recent, type Selection, type ServerEvent } from "./events.ts";
import type { View } from "./view.ts";

const PAUSE_MS = 500;
const REMEMBERED = 10_000;

/**
 * Shows recent and new events until a signal. If the server stops, waits for it, and uses its new key if it restarts.
 * @param first an open control API
 * @returns the exit code
 */
export async function follow(
  context: Context,
  flags: GlobalFlags,
  { first, selection, view }: { first: ControlClient; selection: Selection; view: View },
): Promise<ExitCode> {
  const stopped = new AbortController();
  const { signal } = stopped;
  let exitCode: ExitCode = EXIT.done;
  const stop = (code: ExitCode): void => {
    exitCode = code;
    stopped.abort();
    context.endSoon(code);
  };
  void context.untilSignal().then((name) => stop(EXIT_BY_SIGNAL[name]));
  // After a reconnect the server repeats what it remembers.
  const seen = new LRUCache<string, true>({ max: REMEMBERED });
  const show = async (event: ServerEvent): Promise<void> => {
    const name = nameOf(event);
    if (signal.aborted || seen.has(name)) return;
    seen.set(name, true);
    if (selection.has(event)) view(event);
    // The reader has gone, such as head: nothing failed.
    if ((await context.stdout.ready?.()) === false) stop(EXIT.done);
  };
  let isLost = false;
  const onOpen = (): void => {
    if (isLost) context.stderr.write("Connected again.\n");
    isLost = false;
  };
  for (;;) {
    try {
      const control = isLost ? await openControl(context, flags) : first;
      const events = control.events({ signal, onOpen });
      // Connected before the past is read, so that nothing falls between the two.
      const next = events.next();
      next.catch(() => undefined);
      for (const event of await recent(control, selection)) await show(event);
      for (let event = await next; !event.done; event = await events.next()) await show(event.value);
    } catch (error) {
      if (!signal.aborted && !mayPass(error)) throw error;
    }
    if (signal.aborted) return exitCode;
    if (!isLost) context.stderr.write("The connection was lost. Waiting for the server…\n");
    isLost = true;
    await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether a server that stops or starts may have caused an error: it can't be reached, or a stream ended in the middle. */
function mayPass(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  const isCut = code === "ECONNRESET" || code === "UND_ERR_SOCKET" || message === "terminated";
  return isCut || toFailure(error).exitCode === EXIT.unreachable;
}

/** What tells an event from the one before about the same sign-in. */
function nameOf({ id, resource, data }: ServerEvent): string {
  return resource === "flow" ? `${id} ${data.steps.length} ${data.result}` : id;
}

import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { ControlError, type ControlClient } from "../../../control-client/index.ts";
import { personOf, type Person } from "../../../wire/control/flows.ts";
import { scenarioInWords } from "../../../wire/control/scenarios.ts";
import { MAX_PAGE_SIZE } from "../../../http/request.ts";
import { isUuid } from "../../../wire/ids.ts";
import { fold } from "../../../text/fold.ts";
import { runs, type Flags, type Program } from "../../command.ts";
import { openControl } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { EXIT, EXIT_BY_SIGNAL, UsageError, type ExitCode } from "../../errors.ts";
import { toFailure } from "../../failure.ts";
import { checkFlowId } from "../../list/columns.ts";
import { printsRows } from "../../output/flags.ts";
import { harmless, say } from "../../output/text.ts";
import { moment, numberFrom } from "../../quantities.ts";
import { createSelection, recent, type Selection, type ServerEvent, type Wanted } from "./events.ts";
import { jsonView, textView, type View } from "./view.ts";

const DEFAULT_LIMIT = 50;
const MOST = 9999;

export type LogsOptions = Flags<"flow" | "user" | "since" | "limit", "follow" | "failed" | "all">;

export function add(program: Program, context: Surroundings): void {
  const logs = printsRows(program.command("logs"))
    .option("-f, --follow", "keep printing what happens, until Ctrl-C; reconnects to a server that is restarted")
    .option("--flow <id>", "only the sign-in with this id, and what was sent and answered")
    .option("--user <user>", "only the sign-ins of a person: a part of a name, login or e-mail address, or an id")
    .option("--failed", "only what failed")
    .option("--since <time>", "only what began since then: 15m, 12h or 7d ago, yesterday, 2026-01-31")
    .option("--all", "also the requests of commands and of the dashboard")
    .option("--limit <number>", `start with this many of the latest; default ${DEFAULT_LIMIT}, or all with --since`);
  runs(logs, context, { on: "instance" }, runLogs, {
    examples: [
      ["svc logs -f", "watch requests and sign-ins"],
      ["svc logs --failed", "what went wrong, and why"],
      ["svc logs --flow 2aa3d6edf1ffd994", "one sign-in, step by step"],
    ],
    notes:
      "A line for each request, and beneath it what was done for a sign-in, with its id. Secrets are never in it.\n" +
      "The server keeps the latest 2000 requests and 1000 sign-ins, until it stops. Who changed or deleted a user is in its own\n" +
      "output alone, in the lines with audit.",
  });
}

export async function runLogs(context: Context, options: LogsOptions): Promise<ExitCode | void> {
  const since =
    options.since === undefined ? undefined : new Date(moment("--since", options.since, context.now())).toISOString();
  const standard = since === undefined ? DEFAULT_LIMIT : MOST;
  const limit = options.limit === undefined ? standard : numberFrom("--limit", options.limit, 1, MOST);
  if (options.flow !== undefined) checkFlowId(options.flow);
  if (options.user === "") throw new UsageError("--user is empty.", "Check that the variable is set.");
  const toView = viewOf(options);
  const control = await openControl(context);
  if (toView === textView) await tellOfScenarios(context, control);
  const { flow, user, failed: isFailed = false, all: isAll = false } = options;
  const instance = await instanceOf(control, control.instance);
  const people = await peopleOf(control, user, control.instance);
  const selection = createSelection({ flow, user, people, isFailed, since, isAll, instance, limit });
  const view = toView(context, selection);
  if (toView === textView) say(context, `Logs of ${control.place}`);
  if (options.follow) return follow(context, { first: control, selection, view });
  const { events, since: reach } = await recent(control, selection);
  for (const event of events) view(event);
  if (events.length === 0 && context.stdout.isTTY) context.stderr.write("Nothing to show.\n");
  if (toView === textView && (user ?? since) !== undefined) say(context, reachInWords(reach));
  if (toView === textView && user !== undefined && events.length === 0) say(context, NO_CHANGES);
}

const NO_CHANGES =
  "It has sign-ins and requests only. Who changed or deleted a user is in the output of svc serve alone, in the lines with audit.";

/** @param since the beginning of the oldest sign-in that is known. ISO 8601 */
function reachInWords(since: string | undefined): string {
  return since === undefined
    ? "The log has no sign-ins: it begins when the server starts."
    : `The log reaches back to ${since}: the server keeps the latest 1000 sign-ins, until it stops.`;
}

function viewOf({ json, output = "table" }: LogsOptions): typeof textView {
  if (json || output === "ndjson") return jsonView;
  if (output === "table" || output === "wide") return textView;
  throw new UsageError(`--output ${output} is not for logs.`, "Omit it, or use --json.");
}

async function instanceOf(control: ControlClient, name: string | undefined): Promise<Wanted["instance"]> {
  if (name === undefined) return undefined;
  const { id, data } = await control.request("GET /instances/:id", { params: { id: name } });
  return { id, subdomain: data.subdomain };
}

async function tellOfScenarios({ stderr }: Context, control: ControlClient): Promise<void> {
  const [first, ...others] = (await control.request("GET /state")).scenarios;
  if (!first) return;
  const waiting = others.length === 0 ? "A scenario waits." : `${others.length + 1} scenarios wait.`;
  stderr.write(
    `${waiting} ${harmless(scenarioInWords(first))} Remove ${others.length === 0 ? "it" : "them"}: svc dev scenarios --clear\n`,
  );
}

/** Those who are meant: a sign-in that failed early names neither a user nor a name, and is theirs by addresses and accounts. */
async function peopleOf(control: ControlClient, user: string | undefined, instance?: string): Promise<Person[]> {
  if (user === undefined) return [];
  if (!isUuid(user.toLowerCase())) return namedPeople(control, user, instance);
  try {
    return [personOf(await control.request("GET /users/:id", { params: { id: user }, query: { instance } }))];
  } catch (error) {
    // Deleted by now, or of several instances: the id alone finds sign-ins.
    if (error instanceof ControlError && (error.status === 404 || error.status === 409)) return [];
    throw error;
  }
}

/** The users and personas with every word of a text in their names. A persona is signed in by its id. */
async function namedPeople(control: ControlClient, text: string, chosen?: string): Promise<Person[]> {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const isMeant = (name: string | null): boolean => words.every((word) => fold(name ?? "").includes(word));
  const [longest = ""] = words.toSorted((a, b) => b.length - a.length);
  const ids = chosen === undefined ? (await control.request("GET /instances")).map(({ id }) => id) : [chosen];
  const personas = (await control.request("GET /personas")).filter(({ data }) => isMeant(data.name));
  const people: Person[] = [];
  for (const instance of ids) {
    for (const { id, data } of personas)
      for (const email of [id, data.email ?? id]) people.push({ id, instance, email, identities: [] });
    // What a search can't ask for, such as a text with an asterisk, is no name.
    if (/[*:<>=]/.test(text)) continue;
    const query = { instance, query: `name:*${longest}*`, limit: MAX_PAGE_SIZE };
    for (const user of await control.request("GET /users", { query }))
      if (isMeant(user.data.name)) people.push(personOf(user));
  }
  return people;
}

const PAUSE_MS = 500;
const REMEMBERED = 10_000;

/**
 * Shows recent and new events until a signal. If the server stops, waits for it, and uses its new key if it restarts.
 * @param first an open control API
 * @returns the exit code
 */
async function follow(
  context: Context,
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
      const control = isLost ? await openControl(context) : first;
      const events = control.events({ signal, onOpen });
      // Connected before the past is read, so that nothing falls between the two.
      const next = events.next();
      next.catch(() => undefined);
      for (const event of (await recent(control, selection)).events) await show(event);
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

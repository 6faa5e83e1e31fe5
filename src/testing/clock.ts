import type { ControlClient } from "../control-client/index.ts";
import { ServeError } from "../server/errors.ts";
import { done } from "./options.ts";
import { CLOCK_HEADER } from "../wire/control/paths.ts";
import type { AnswerOf, BodyOf } from "../wire/control/types.ts";
import type { FetchResponse } from "../http/fetch.ts";

type Reading = AnswerOf<"GET /clock">;

/** A moment: a `Date`, milliseconds since 1970, or a date as text. */
export type Moment = Date | number | string;
/** A length of time: milliseconds, `"30:00"` (minutes and seconds, or hours first), or with units as in `"61m"` or `"1h30m"`. */
export type Duration = Extract<BodyOf<"POST /clock/advance">, { by: unknown }>["by"];

/**
 * The service's clock, with the verbs of Playwright's. It moves states, codes, tokens, sessions and verification. The
 * machine's own time, timers and deadlines stay as they are.
 */
export interface TestClock {
  /**
   * The service's time. Pass it to whatever verifies tokens without asking the service, so that both agree:
   * `checkToken(token, { secretKey, now: svc.clock.now })`, `expressAuth({ secretKey, now: svc.clock.now })`. Every answer
   * of the service tells it where the clock stands.
   */
  readonly now: () => Date;
  /** Asks the service for its time. Only needed if another process moved the clock since the last call to the service. */
  refresh(): Promise<Date>;
  /** Stops the clock at a moment. */
  setFixedTime(time: Moment): Promise<void>;
  /** Sets the clock, which keeps running. */
  setSystemTime(time: Moment): Promise<void>;
  /** Moves the clock forwards to a moment and stops it there. @throws {ControlError} for a moment in the past */
  pauseAt(time: Moment): Promise<void>;
  /**
   * Moves the clock forwards by a duration such as `"61m"`. A stopped clock stays stopped.
   * @throws {ControlError} for what is not a duration @throws {ServeError} for a number: 61 could be minutes or seconds
   */
  advance(by: string): Promise<void>;
  /** The same by the name that Playwright's clock has for it, and as there also in milliseconds. */
  fastForward(by: Duration): Promise<void>;
  /** Resumes a stopped clock. */
  resume(): Promise<void>;
  /** Returns to the real time. */
  reset(): Promise<void>;
  /** Sets the clock of a Playwright page to the service's, so that scripts there agree with it. */
  applyTo(page: PageWithClock): Promise<void>;
}

/** What is needed of Playwright's `Page`. */
export interface PageWithClock {
  readonly clock: {
    setFixedTime(time: number | string | Date): Promise<void>;
    setSystemTime(time: number | string | Date): Promise<void>;
  };
}

// Taken when this is loaded: fake timers that a test installs later do not move the service.
const realNow = Date.now;

export type ClockReading = ReturnType<typeof createClockReading>;

/** Where the service's clock stands, by its latest answer. */
export function createClockReading() {
  let reading: Reading = { mode: "real", now: new Date(realNow()).toISOString(), offset_ms: 0 };
  return {
    now(): number {
      if (reading.mode === "frozen") return Date.parse(reading.now);
      return realNow() + (reading.mode === "real" ? 0 : reading.offset_ms);
    },
    isFrozen: (): boolean => reading.mode === "frozen",
    follow({ headers }: FetchResponse): void {
      // Refusals have none.
      const text = headers.get(CLOCK_HEADER);
      if (text !== null) reading = JSON.parse(text) as Reading;
    },
  };
}

export function createTestClock(control: ControlClient, { now, isFrozen }: ClockReading): TestClock {
  const advance = (body: BodyOf<"POST /clock/advance">): Promise<void> =>
    done(control.request("POST /clock/advance", { body }));
  const freeze = (at: string): Promise<void> => done(control.request("POST /clock/freeze", { body: { at } }));
  return {
    now: () => new Date(now()),
    async refresh() {
      await control.request("GET /clock");
      return new Date(now());
    },
    setFixedTime: async (time) => freeze(isoOf(time)),
    setSystemTime: async (time) => done(control.request("POST /clock/set", { body: { at: isoOf(time) } })),
    async pauseAt(time) {
      const at = isoOf(time);
      await advance({ to: at });
      await freeze(at);
    },
    async advance(by) {
      // A program without types may pass anything.
      if (typeof by === "number")
        throw new ServeError(
          `advance(${String(by)}) has no unit. Write "${String(by)}m", "${String(by)}s" or "${String(by)}ms".`,
        );
      return advance({ by });
    },
    fastForward: (by) => advance({ by }),
    resume: () => done(control.request("POST /clock/resume")),
    reset: () => done(control.request("POST /clock/reset")),
    applyTo: ({ clock }) => (isFrozen() ? clock.setFixedTime(now()) : clock.setSystemTime(now())),
  };
}

function isoOf(time: Moment): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime()))
    throw new ServeError(`"${String(time)}" is not a date. Write 2026-01-31T12:00:00Z.`);
  return date.toISOString();
}

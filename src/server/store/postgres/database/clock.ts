/** A machine that is off by more than this has no working NTP. */
const TOLERATED_MS = 3_000;

export type DatabaseClock = ReturnType<typeof createDatabaseClock>;

/** The database's clock, which all servers share. Between two readings it goes on with this machine's monotonic one. */
export function createDatabaseClock(warn: (message: string) => void) {
  /** From `performance.now()` to the database's time. */
  let offset: number | undefined;
  let isWrong = false;

  /** How far this machine's clock is ahead of it, in milliseconds: 0 before the first reading. */
  function ahead(): number {
    return offset === undefined ? 0 : Date.now() - performance.now() - offset;
  }

  return {
    ahead,

    /** Undefined before the first reading. */
    now: (): Date | undefined => (offset === undefined ? undefined : new Date(performance.now() + offset)),

    /**
     * @param moment the database's time, in milliseconds since 1970
     * @param asked when it was asked for, and `answered` when it arrived, on `performance.now()`
     */
    note(moment: number, asked: number, answered = performance.now()): void {
      const [earliest, latest] = [moment - answered, moment - asked];
      // A slow answer says little. What is known must not waver with it.
      if (offset === undefined || offset < earliest || offset > latest) offset = (earliest + latest) / 2;
      const off = ahead();
      const wasWrong = isWrong;
      isWrong = Math.abs(off) > TOLERATED_MS + (latest - earliest) / 2;
      if (isWrong && !wasWrong) warn(`${clockDifference(off)} Times follow the database's. Set both clocks by NTP.`);
      if (!isWrong && wasWrong) warn("this machine's clock agrees with the database's again.");
    },
  };
}

/** A sentence. @param aheadMs negative if this machine's clock is behind */
export function clockDifference(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return `this machine's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the database's.`;
}

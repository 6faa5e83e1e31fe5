import type { AnswerOf } from "../../wire/control/types.ts";

/** How the clock runs. `running`: `offset_ms` from real time; `frozen`: stopped at `at`. */
export type ClockSetting =
  | { readonly mode: "real" }
  | { readonly mode: "running"; readonly offset_ms: number }
  | { readonly mode: "frozen"; readonly at: string };

/** The one clock of states, tokens, codes, sessions and dates. Timers and deadlines do not follow it. */
export class Clock {
  readonly #real: () => Date;
  #setting: ClockSetting = { mode: "real" };

  constructor(real: () => Date) {
    this.#real = real;
  }

  readonly now = (): Date => {
    const setting = this.#setting;
    if (setting.mode === "real") return this.#real();
    return setting.mode === "frozen" ? new Date(setting.at) : new Date(this.#real().getTime() + setting.offset_ms);
  };

  /** Real time, for what must not follow this clock. */
  readonly real = (): Date => this.#real();

  get setting(): ClockSetting {
    return this.#setting;
  }

  /** Applies the setting of the store. */
  follow(setting: ClockSetting): void {
    this.#setting = setting;
  }

  read(): AnswerOf<"GET /clock"> {
    const now = this.now();
    return { now: now.toISOString(), mode: this.#setting.mode, offset_ms: now.getTime() - this.#real().getTime() };
  }

  frozenAt(at: Date): ClockSetting {
    return { mode: "frozen", at: at.toISOString() };
  }

  runningFrom(at: Date): ClockSetting {
    return { mode: "running", offset_ms: at.getTime() - this.#real().getTime() };
  }

  /** In the current mode, but at `at`. */
  movedTo(at: Date): ClockSetting {
    return this.#setting.mode === "frozen" ? this.frozenAt(at) : this.runningFrom(at);
  }
}

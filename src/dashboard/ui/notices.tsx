import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { Icon } from "./icon.tsx";

interface Notice {
  readonly id: number;
  readonly tone: "good" | "bad";
  readonly text: string;
}

const notices = signal<readonly Notice[]>([]);
const GOOD_MS = 2500;
const BAD_MS = 9000;
let last = 0;

/** Announces the result of an action for a few seconds, to screen readers too. */
export function notify(tone: Notice["tone"], text: string): void {
  const id = ++last;
  notices.value = [...notices.value.slice(-3), { id, tone, text }];
  setTimeout(() => dismiss(id), tone === "good" ? GOOD_MS : BAD_MS);
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Notices(): VNode {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, tone, text }) => (
        <div key={id} class={`notice ${tone}`} data-testid={`notice-${tone}`}>
          <Icon name={tone === "good" ? "check" : "warning"} />
          <span>{text}</span>
          <button type="button" class="button quiet small square" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
    </div>
  );
}

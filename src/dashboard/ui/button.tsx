import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { reloadAll } from "../api/use-load.ts";

/** Drawn for svc on a grid of 16, in the colour of the surrounding text. */
const PATHS = {
  overview: "M2 9.5 5.5 6l3 3L14 3.5M10.5 3.5H14V7M2 13h12",
  instances: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  users: "M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.5 13.5c.6-2.4 2.7-3.5 5.5-3.5s4.9 1.1 5.5 3.5",
  sessions: "M2.5 3.5h11v7.5h-11zM6 13.5h4M8 11v2.5",
  flows:
    "M4 5.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM12 14a1.75 1.75 0 1 0 0-3.5A1.75 1.75 0 0 0 12 14zM4 5.5V9c0 2 1 3 3 3h3.2",
  requests: "M2.5 4h11M2.5 8h11M2.5 12h7",
  control:
    "M3 4.5h5M11.5 4.5H13M3 11.5h1.5M8 11.5h5M9.75 6.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM6.25 13.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5z",
  "try-it": "M5 3.2v9.6L12.8 8z",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6",
  warning: "M8 2.2 14.2 13H1.8zM8 6.5v3M8 11.2v.1",
  back: "M9.5 3.5 5 8l4.5 4.5",
  external: "M9 3h4v4M13 3 7.5 8.5M11.5 9.5v3.5H3V4.5h3.5",
  eye: "M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z",
  plus: "M8 3v10M3 8h10",
  key: "M10 9.5a3.5 3.5 0 1 0-3.4-2.7L2.5 11v2.5H5V12h1.5v-1.5h1.2zM11 5.2v.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

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

/** Announces a change of records, and has what is shown of them loaded again. */
export function changed(text: string): void {
  notify("good", text);
  reloadAll();
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Notices() {
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

export interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** For a button that shows only its icon. */
  readonly label?: string;
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  readonly disabled?: boolean;
  readonly small?: boolean;
  readonly testId?: string | undefined;
  /** While a promise is pending the button is busy, and takes no second click; if it fails the message is shown. */
  readonly onClick?: (event: MouseEvent) => unknown;
}

/** A button that is unavailable for now keeps the focus: `disabled` would move it to the start of the page. */
export function Button(props: ButtonProps) {
  const { children, icon, label, kind = "plain", type = "button", disabled, small, testId } = props;
  const busy = useSignal(false);
  const click = async (event: MouseEvent): Promise<void> => {
    if (disabled || busy.peek()) return;
    const result = props.onClick?.(event);
    if (!(result instanceof Promise)) return;
    busy.value = true;
    try {
      await result;
    } catch (error) {
      notify("bad", (error as Error).message);
    } finally {
      busy.value = false;
    }
  };
  return (
    <button
      type={type}
      class={`button ${kind}${small ? " small" : ""}${children === undefined ? " square" : ""}`}
      aria-disabled={disabled || busy.value}
      aria-busy={busy.value}
      aria-label={label}
      title={label}
      data-testid={testId}
      onClick={(event) => void click(event)}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

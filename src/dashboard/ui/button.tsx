import type { ComponentChildren, VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Icon, type IconName } from "./icon.tsx";
import { notify } from "./notices.tsx";

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
export function Button(props: ButtonProps): VNode {
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

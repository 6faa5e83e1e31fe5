import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { currentAddress } from "../router.ts";
import { Button } from "./button.tsx";

/**
 * A modal dialog. Its first field has the focus, without a field its first button. Esc, a click outside and another address
 * close it, and the focus returns to its previous place.
 */
export function Dialog({
  title,
  children,
  onClose,
  wide,
  isHigh,
}: {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  wide?: boolean;
  /** Whether it is at the top of the window, where it stays while its content grows and shrinks. */
  isHigh?: boolean;
}): VNode {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key event, which already belongs to the dialog.
  useLayoutEffect(() => {
    const { current: dialog } = element;
    const root = document.documentElement;
    root.classList.toggle("scrollbar", innerWidth > root.clientWidth);
    dialog?.showModal();
    // The browser would focus Close, where Enter discards what was typed.
    dialog?.querySelector<HTMLElement>(".dialog-body :is(input, select, textarea, button)")?.focus();
    return () => dialog?.close();
  }, []);
  // Going back closes it, too.
  const address = currentAddress.value;
  const opened = useRef(address);
  useLayoutEffect(() => {
    if (address !== opened.current) onClose();
  }, [address]);
  return (
    <dialog
      ref={element}
      class={`${wide ? "wide" : ""} ${isHigh ? "high" : ""}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <header class="dialog-header">
        <h2>{title}</h2>
        <Button kind="quiet" icon="cross" label="Close" testId="close-dialog" onClick={onClose} />
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

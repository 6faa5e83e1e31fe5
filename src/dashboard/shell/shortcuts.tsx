import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Dialog } from "../ui/dialog.tsx";
import { openPalette, PALETTE_KEYS } from "./palette.tsx";

const isHelpOpen = signal(false);

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["/", "Search in this view"],
  [PALETTE_KEYS, "Find a view, an action, an instance or a user"],
  ["↑ ↓", "Move along the rows of a table"],
  ["Enter", "Open the row, or send the form"],
  ["Esc", "Close, or go back to the list"],
  ["?", "Show these keys"],
];

/** Keys that work everywhere except while typing. */
export function useShortcuts(): void {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      if (event.key === "/") {
        const search = document.querySelector<HTMLElement>("[data-search]");
        if (!search) return openPalette();
        event.preventDefault();
        search.focus();
      } else if (event.key === "?") isHelpOpen.value = true;
      else if (event.key === "Escape") document.querySelector<HTMLAnchorElement>(".heading > a")?.click();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

export function ShortcutHelp(): VNode | null {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog title="Keys" onClose={() => void (isHelpOpen.value = false)}>
      <dl class="facts">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && !!target.closest("input, textarea, select, [contenteditable]");
}

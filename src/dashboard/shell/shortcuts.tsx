import { useLayoutEffect } from "preact/hooks";
import { Dialog, openDialog } from "../ui/dialog.tsx";
import { Facts } from "../ui/parts.tsx";
import { openPalette, PALETTE_KEYS } from "./palette.tsx";

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
      } else if (event.key === "?") openDialog(<Keys />);
      else if (event.key === "Escape") document.querySelector<HTMLAnchorElement>(".heading > a")?.click();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

function Keys() {
  return (
    <Dialog title="Keys">
      <Facts rows={KEYS.map(([keys, does]) => [<kbd>{keys}</kbd>, does])} />
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && !!target.closest("input, textarea, select, [contenteditable]");
}

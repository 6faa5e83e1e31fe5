import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren, VNode } from "preact";
import { Button } from "./button.tsx";

/** The ids of the rows that were selected. */
export type Selection = Signal<ReadonlySet<string>>;

export function useSelection(): Selection {
  return useSignal<ReadonlySet<string>>(new Set());
}

export function setSelected(selection: Selection, ids: readonly string[], isSelected: boolean): void {
  const next = new Set(selection.peek());
  for (const id of ids)
    if (isSelected) next.add(id);
    else next.delete(id);
  selection.value = next;
}

/** What can be done with the selected rows. */
export function SelectionBar({
  selection,
  noun,
  children,
}: {
  selection: Selection;
  /** In the plural. */
  noun: string;
  /** Buttons. */
  children: ComponentChildren;
}): VNode | null {
  const { size } = selection.value;
  if (size === 0) return null;
  return (
    <div class="selection-bar" role="region" aria-label="Selected rows" data-testid="selection">
      <strong role="status">
        {size} {size === 1 ? noun.slice(0, -1) : noun} selected
      </strong>
      {children}
      <Button small kind="quiet" onClick={() => void (selection.value = new Set())}>
        Clear
      </Button>
    </div>
  );
}

/** Does something for each id, one after the other. @throws {Error} that says how many were done before one failed */
export async function forEachSelected(ids: Iterable<string>, act: (id: string) => Promise<unknown>): Promise<number> {
  let done = 0;
  for (const id of ids) {
    try {
      await act(id);
      done++;
    } catch (error) {
      throw new Error(`${done} done, then one failed: ${(error as Error).message}`, { cause: error });
    }
  }
  return done;
}

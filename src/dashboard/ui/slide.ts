import { useLayoutEffect, useRef } from "preact/hooks";

const SLIDE_MS = 180;

/** New rows on top push the others down visibly: the eye can follow them. */
export function useSlide(
  { current: body }: { current: HTMLTableSectionElement | null },
  first: string | undefined,
): void {
  const before = useRef<{ row: HTMLElement; top: number } | undefined>(undefined);
  useLayoutEffect(() => {
    if (!body) return;
    const { row: old, top = 0 } = before.current ?? {};
    const moved = old?.isConnected ? old.offsetTop - top : 0;
    if (moved > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches)
      body.animate({ transform: [`translateY(${-moved}px)`, "none"] }, { duration: SLIDE_MS, easing: "ease-out" });
    const row = body.firstElementChild as HTMLElement | null;
    before.current = row ? { row, top: row.offsetTop } : undefined;
  }, [body, first]);
}

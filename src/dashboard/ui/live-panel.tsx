import type { ComponentChildren, VNode } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import type { LiveList } from "./live-list.ts";
import { Panel, Placeholder, Problem } from "./parts.tsx";

/** A live list: a notice of new rows, its table, and a button for older rows. */
export function LivePanel<Row>({
  list,
  noun,
  empty,
  children,
}: {
  list: LiveList<Row>;
  /** The name of a row, in the singular. */
  noun: string;
  empty: ComponentChildren;
  /** The table. */
  children: ComponentChildren;
}): VNode {
  const { rows, waiting, error, isLoaded, showOlder } = list;
  // At the last page its button has the focus.
  const hasPages = useRef(false);
  hasPages.current ||= showOlder !== undefined;
  return (
    <>
      {/* It takes no space, so that nothing moves. */}
      <div class="waiting" role="status">
        {waiting > 0 && (
          <Button kind="primary" testId="resume" onClick={list.resume}>
            {waiting} new {noun}
            {waiting === 1 ? "" : "s"}, resume
          </Button>
        )}
      </div>
      <Panel flush>
        {error && <Problem error={error} onRetry={list.reload} />}
        {!isLoaded && !error && <Placeholder lines={8} />}
        {isLoaded && rows.length === 0 && empty}
        {rows.length > 0 && children}
        {rows.length > 0 && (
          <nav class="pages" aria-label="Pages">
            <span class="muted" data-testid="page-info">
              {rows.length.toLocaleString("en")} {noun}
              {rows.length === 1 ? "" : "s"}, the newest first
            </span>
            {hasPages.current && (
              <Button small disabled={!showOlder} testId="show-older" onClick={() => showOlder?.()}>
                Show older
              </Button>
            )}
          </nav>
        )}
      </Panel>
    </>
  );
}

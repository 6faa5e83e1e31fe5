import type { VNode } from "preact";
import type { LiveList } from "./live-list.ts";
import { Button } from "./button.tsx";

/** What arrived while somebody was reading: shown on request. It takes no room, so that nothing moves. */
export function Waiting<Row>({ list, noun }: { list: LiveList<Row>; noun: string }): VNode {
  return (
    <div class="waiting" role="status">
      {list.waiting > 0 && (
        <Button kind="primary" testId="resume" onClick={list.resume}>
          {list.waiting} new {noun}
          {list.waiting === 1 ? "" : "s"}, resume
        </Button>
      )}
    </div>
  );
}

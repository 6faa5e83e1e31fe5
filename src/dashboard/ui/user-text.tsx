import type { VNode } from "preact";
import { visible } from "../../wire/visible.ts";

/** A text that anybody may have written: it changes nothing around it, and hides no character that turns its direction. */
export function UserText({ text, muted }: { text: string; muted?: boolean }): VNode {
  const shown = visible(text);
  return (
    <span class={muted ? "user-text muted" : "user-text"} title={shown}>
      {shown}
    </span>
  );
}

import type { VNode } from "preact";
import { visible } from "../../wire/text/harmless.ts";

/** Untrusted text: isolated from the text around it, with characters that change direction made visible. */
export function UserText({ text, muted }: { text: string; muted?: boolean }): VNode {
  const shown = visible(text);
  return (
    <span class={muted ? "user-text muted" : "user-text"} title={shown}>
      {shown}
    </span>
  );
}

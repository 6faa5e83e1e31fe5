import type { ComponentChildren, VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Button } from "./button.tsx";
import { notify } from "./notices.tsx";
import { Code } from "./parts.tsx";

interface CopyProps {
  readonly text: string | (() => Promise<string>);
  readonly label: string;
  /** The button's text. Without it, the button shows only its icon. */
  readonly children?: ComponentChildren;
}

/** Copies a text, and confirms it. */
export function Copy({ text, label, children }: CopyProps): VNode {
  const done = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
    done.value = true;
    notify("good", `${label}: copied`);
    setTimeout(() => (done.value = false), 1500);
  };
  return (
    <Button
      kind="quiet"
      small
      icon={done.value ? "check" : "copy"}
      {...(children === undefined && { label: `Copy: ${label}` })}
      onClick={copy}
    >
      {children}
    </Button>
  );
}

/** A value in one line, with a button to copy it. */
export function CopyableValue({ text, label }: { text: string; label: string }): VNode {
  return (
    <>
      <code>{text}</code>
      <Copy text={text} label={label} />
    </>
  );
}

/** A block of code, with a button to copy it. */
export function CopyableCode({ text, label }: { text: string; label: string }): VNode {
  return (
    <div class="with-copy">
      <Code>{text}</Code>
      <Copy text={text} label={label} />
    </div>
  );
}

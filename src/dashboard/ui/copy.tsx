import type { ComponentChildren, VNode } from "preact";
import { useSignal } from "@preact/signals";
import { Button } from "./button.tsx";
import { notify } from "./notices.tsx";
import { Code } from "./parts.tsx";

interface CopyProps {
  readonly text: string | (() => Promise<string>);
  readonly label: string;
  /** What the button says; without it, it shows its icon alone. */
  readonly children?: ComponentChildren;
}

/** Copies a text, and says that it did. */
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

/** A value in a line, and the way to copy it. */
export function CopyableValue({ text, label }: { text: string; label: string }): VNode {
  return (
    <>
      <code>{text}</code>
      <Copy text={text} label={label} />
    </>
  );
}

/** A block of code, and the way to copy it. */
export function CopyableCode({ text, label }: { text: string; label: string }): VNode {
  return (
    <div class="with-copy">
      <Code>{text}</Code>
      <Copy text={text} label={label} />
    </div>
  );
}

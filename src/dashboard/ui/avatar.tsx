import type { VNode } from "preact";

const TINTS = 8;

/** Initials in a circle. Pictures are never loaded: the dashboard asks no other host for anything. */
export function Avatar({ name, large }: { readonly name: string; readonly large?: boolean }): VNode {
  const initials = [...(name.match(/[\p{L}\p{N}]+/gu) ?? ["?"])]
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0)!).toUpperCase())
    .join("");
  const tint = Array.from(name).reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 997, 7) % TINTS;
  return (
    <span class={`avatar tint-${tint}${large ? " large" : ""}`} aria-hidden="true">
      {initials}
    </span>
  );
}

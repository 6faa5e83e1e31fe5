import type { VNode } from "preact";

/** Initials in a circle. Pictures are never loaded: the dashboard sends no request to another host. */
export function Avatar({ name, large }: { readonly name: string; readonly large?: boolean }): VNode {
  const initials = [...(name.match(/[\p{L}\p{N}]+/gu) ?? ["?"])]
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0)!).toUpperCase())
    .join("");
  const hue = Array.from(name).reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 360, 7);
  return (
    <svg class={large ? "avatar large" : "avatar"} viewBox="0 0 28 28" aria-hidden="true">
      <circle cx="14" cy="14" r="14" fill={`oklch(0.5 0.12 ${hue})`} />
      <text x="14" y="14" text-anchor="middle" dominant-baseline="central">
        {initials}
      </text>
    </svg>
  );
}

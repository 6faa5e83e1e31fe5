import type { VNode } from "preact";
import { drawnFor } from "../../wire/text/initials.ts";

/** Initials in a circle. Pictures are never loaded: the dashboard sends no request to another host. */
export function Avatar({ name, large }: { readonly name: string; readonly large?: boolean }): VNode {
  const { initials, hue } = drawnFor(name);
  return (
    <svg class={large ? "avatar large" : "avatar"} viewBox="0 0 28 28" aria-hidden="true">
      <circle cx="14" cy="14" r="14" fill={`oklch(0.5 0.12 ${hue})`} />
      <text x="14" y="14" text-anchor="middle" dominant-baseline="central">
        {initials}
      </text>
    </svg>
  );
}

import type { VNode } from "preact";
import { visible } from "../../wire/text/harmless.ts";
import { drawnFor } from "../../wire/text/initials.ts";
import { RowLink } from "./table-row.tsx";

/** Untrusted text: isolated from the text around it, with characters that change direction made visible. */
export function UserText({ text, muted }: { text: string; muted?: boolean }): VNode {
  const shown = visible(text);
  return (
    <span class={muted ? "user-text muted" : "user-text"} title={shown}>
      {shown}
    </span>
  );
}

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

/** A name and an e-mail address, safe for any script and any hostile text. */
export function Person(props: { name: string; email: string; address?: string }): VNode {
  const { address } = props;
  const [name, email] = [visible(props.name), visible(props.email)];
  return (
    <span class="person">
      <Avatar name={props.name} />
      <span>
        {address ? (
          <RowLink address={address}>
            <b title={name}>{name}</b>
          </RowLink>
        ) : (
          <b title={name}>{name}</b>
        )}
        <small title={email}>{email}</small>
      </span>
    </span>
  );
}

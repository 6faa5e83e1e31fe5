import type { VNode } from "preact";
import { Avatar } from "../../ui/avatar.tsx";

/** A name and an e-mail address, whatever script or trick is in them. */
export function Person({ name, email, address }: { name: string; email: string; address?: string }): VNode {
  return (
    <span class="person">
      <Avatar name={name} />
      <span>
        {address ? (
          <a href={address} tabIndex={-1}>
            <b title={name}>{name}</b>
          </a>
        ) : (
          <b title={name}>{name}</b>
        )}
        <small title={email}>{email}</small>
      </span>
    </span>
  );
}

import type { VNode } from "preact";
import { visible } from "../../../wire/text/harmless.ts";
import { RowLink } from "../../ui/table.tsx";
import { Avatar } from "../../ui/avatar.tsx";

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

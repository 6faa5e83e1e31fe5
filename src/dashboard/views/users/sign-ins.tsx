import type { VNode } from "preact";
import type { User } from "../../api/records.ts";
import { href } from "../../router.ts";
import { useLiveList } from "../../ui/live-list.ts";
import { Panel, Placeholder, Problem } from "../../ui/parts.tsx";
import { FlowTable } from "../flows/flow-table.tsx";

const SHOWN = 10;

/** A user's latest sign-ins, as far as the server keeps them. */
export function UserSignIns({ user }: { user: User }): VNode {
  const { rows, isLoaded, error, reload } = useLiveList(
    "flow",
    { user: user.id },
    ({ data }) => data.user_id === user.id && data.instance === user.data.instance,
    { limit: SHOWN, isImmediate: true },
  );
  return (
    <Panel
      title="Sign-ins"
      flush
      testId="user-sign-ins"
      actions={rows.length > 0 && <a href={href(["flows"], { user: user.id })}>All flows of this user</a>}
    >
      {error ? (
        <Problem error={error} onRetry={reload} />
      ) : !isLoaded ? (
        <Placeholder />
      ) : rows.length === 0 ? (
        <p class="padded muted">None that the server still has: it keeps the latest in memory.</p>
      ) : (
        <FlowTable label="Sign-ins of this user" flows={rows.slice(0, SHOWN)} />
      )}
    </Panel>
  );
}

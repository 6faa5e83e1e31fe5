import type { ComponentChildren } from "preact";
import type { QueryOf } from "../../wire/control/types.ts";
import { providerTitle } from "../../wire/providers.ts";
import { control, type Session } from "../api/client.ts";
import { href, location } from "../router.ts";
import { Button, changed } from "../ui/button.tsx";
import { PagedTable } from "../ui/paged-table.tsx";
import { Empty, Panel, Pill } from "../ui/parts.tsx";
import type { Column } from "../ui/table.tsx";
import { Time, PersonShown } from "../ui/values.tsx";
import { SearchView } from "./search-view.tsx";

/** Sessions, the most recent sign-in first. */
export function SessionsPage() {
  const { query: text } = location.value.query;
  return (
    <SearchView
      noun="sessions"
      title="Sessions"
      note="One for each user, provider and address. Revoke one to test what your application does."
    >
      {(query) => (
        <Panel flush>
          <SessionTable
            query={query}
            withUser
            empty={
              <Empty icon="sessions" title={text ? "No session matches" : "No sessions yet"}>
                {text ? "Different fields must all match." : "A session begins with a sign-in."}
              </Empty>
            }
          />
        </Panel>
      )}
    </SearchView>
  );
}

function userOf({ data }: Session): string {
  return href(["users", data.user_id], { instance: data.instance });
}

const USER: Column<Session> = {
  title: "User",
  cell: (session) => <PersonShown name={session.data.name} email={session.data.email} address={userOf(session)} />,
  isWide: true,
};
const COLUMNS: readonly Column<Session>[] = [
  {
    title: "Last sign-in",
    cell: ({ data }) => (
      <span class="stacked">
        <Time at={data.last_signin_at} />
        <small class="muted">with {providerTitle(data.provider)}</small>
        {data.revoked_at && (
          <span title={data.revoked_at}>
            <Pill tone="bad">revoked</Pill>
          </span>
        )}
      </span>
    ),
  },
  { title: "Address", cell: ({ data }) => <code>{data.ip_address}</code>, isSpare: true },
  { title: "First sign-in", cell: ({ data }) => <Time at={data.logged_in_at} />, isSpare: true },
];

/** Sessions that match a search, with buttons to revoke and restore them. */
export function SessionTable(props: {
  query: NonNullable<QueryOf<"GET /sessions/count">>;
  withUser?: boolean;
  empty?: ComponentChildren;
}) {
  const { withUser, empty = <Empty icon="sessions" title="No sessions" />, query } = props;
  const change = async ({ data }: Session): Promise<void> => {
    const { session_id, instance, active } = data;
    const verb = active ? "revoke" : "restore";
    await control.request(`POST /sessions/:session_id/${verb}`, { params: { session_id }, query: { instance } });
    changed(active ? "Session revoked" : "Session restored");
  };
  return (
    <PagedTable
      query={query}
      label="Sessions"
      route="GET /sessions"
      columns={withUser ? [USER, ...COLUMNS] : COLUMNS}
      buttonsOf={(session) => (
        <Button small onClick={() => change(session)}>
          {session.data.active ? "Revoke" : "Restore"}
        </Button>
      )}
      empty={empty}
    />
  );
}

import { useSignal } from "@preact/signals";
import type { VNode, ComponentChildren } from "preact";
import { SESSION_FIELDS } from "../../wire/search/fields.ts";
import { currentInstance, preferredInstance, service } from "../api/service.ts";
import { location, refine, href } from "../router.ts";
import { Empty, Heading, Panel, Pill } from "../ui/parts.tsx";
import { QueryInput } from "../ui/query-input.tsx";
import { searchFor } from "../ui/search-text.ts";
import { ExportButtons, InstanceFilter } from "./search-bar.tsx";
import type { QueryOf } from "../../wire/control/types.ts";
import { providerTitle } from "../../wire/providers.ts";
import { control, type Session } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { notify } from "../ui/notices.tsx";
import { PagedTable } from "../ui/paged-table.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { Person } from "../ui/user-text.tsx";

/** Sessions, the most recent sign-in first. */
export function Sessions(): VNode {
  const { query = "", instance: wanted } = location.value.query;
  const instance = wanted ?? preferredInstance.value;
  const problem = useSignal<Error | undefined>(undefined);
  return (
    <>
      <Heading
        title="Sessions"
        note="One for each user, provider and address. Revoke one to test what your application does."
      >
        <ExportButtons noun="sessions" query={{ ...searchFor(query), instance }} />
      </Heading>
      <div class="search-row">
        <QueryInput
          noun="sessions"
          fields={SESSION_FIELDS}
          values={{ provider: [...service.value.providers, "password"], active: ["true", "false"] }}
          value={query}
          onSearch={(text) => refine({ query: text })}
          error={problem.value}
        />
        <InstanceFilter value={currentInstance(instance)} />
      </div>
      <Panel flush>
        <SessionTable
          withUser
          query={{ ...searchFor(query), instance }}
          onRefusal={(error) => void (problem.value = error)}
          empty={
            <Empty icon="sessions" title={query ? "No session matches" : "No sessions yet"}>
              {query ? "Different fields must all match." : "A session begins with a sign-in."}
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

function userOf({ data }: Session): string {
  return href(["users", data.user_id], { instance: data.instance });
}

/** Sessions that match a search, with buttons to revoke and restore them. */
export function SessionTable({
  query,
  withUser,
  onRefusal,
  empty,
  reloadKey,
}: {
  query: NonNullable<QueryOf<"GET /sessions/count">>;
  withUser?: boolean;
  onRefusal?: (error: Error | undefined) => void;
  empty?: ComponentChildren;
  reloadKey?: unknown;
}): VNode {
  const version = useSignal(0);
  const change = async (session: Session, verb: "revoke" | "restore"): Promise<void> => {
    const { session_id, instance } = session.data;
    await control.request(`POST /sessions/:session_id/${verb}`, { params: { session_id }, query: { instance } });
    notify("good", verb === "revoke" ? "Session revoked" : "Session restored");
    version.value++;
  };
  const columns: Column<Session>[] = [
    ...(withUser
      ? [
          {
            title: "User",
            cell: (session: Session) => (
              <Person name={session.data.name} email={session.data.email} address={userOf(session)} />
            ),
            sortBy: ({ data }: Session) => data.name,
          },
        ]
      : []),
    { title: "Provider", cell: ({ data }) => providerTitle(data.provider), sortBy: ({ data }) => data.provider },
    {
      title: "Address",
      cell: ({ data }) => <code>{data.ip_address}</code>,
      sortBy: ({ data }) => data.ip_address,
    },
    {
      title: "Last sign-in",
      cell: ({ data }) => <Time at={data.last_signin_at} />,
      sortBy: ({ data }) => data.last_signin_at,
    },
    {
      title: "First sign-in",
      cell: ({ data }) => <Time at={data.logged_in_at} />,
      isExtra: true,
      sortBy: ({ data }) => data.logged_in_at,
    },
    {
      title: "State",
      cell: ({ data }) =>
        data.active ? (
          <Pill tone="good">active</Pill>
        ) : (
          <span title={data.revoked_at ?? ""}>
            <Pill tone="bad">revoked</Pill>
          </span>
        ),
    },
    {
      title: "Action",
      align: "end",
      cell: (session) =>
        session.data.active ? (
          <Button small onClick={() => change(session, "revoke")}>
            Revoke
          </Button>
        ) : (
          <Button small onClick={() => change(session, "restore")}>
            Restore
          </Button>
        ),
    },
  ];
  return (
    <PagedTable
      label="Sessions"
      route="GET /sessions"
      query={query}
      columns={columns}
      idOf={({ id }) => id}
      {...(withUser && { linkOf: userOf })}
      reloadKey={`${version.value} ${String(reloadKey)}`}
      empty={empty ?? <Empty icon="sessions" title="No sessions" />}
      {...(onRefusal && { onRefusal })}
    />
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { USER_FIELDS } from "../../wire/search/fields.ts";
import { providerTitle } from "../../wire/providers.ts";
import { control, type User } from "../api/client.ts";
import { currentInstance, preferredInstance, service, revokeSessionsOf } from "../api/service.ts";
import { href, location, refine } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Heading, Panel, Pill } from "../ui/parts.tsx";
import { PagedTable } from "../ui/paged-table.tsx";
import { QueryInput } from "../ui/query-input.tsx";
import { searchFor } from "../ui/search-text.ts";
import { useSelection, forEachSelected, SelectionBar, type Selection } from "../ui/selection.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { ExportButtons, InstanceFilter } from "./search-bar.tsx";
import { Person } from "../ui/user-text.tsx";
import { UserForm } from "./user-form.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { notify } from "../ui/notices.tsx";

const COLUMNS: readonly Column<User>[] = [
  {
    title: "User",
    cell: (user) => <Person name={user.data.name} email={user.data.email} address={addressOf(user)} />,
    sortBy: ({ data }) => data.name,
  },
  {
    title: "Signs in with",
    cell: ({ data }) => (
      <div class="row">
        {data.providers.map((provider) => (
          <Pill key={provider}>{providerTitle(provider)}</Pill>
        ))}
      </div>
    ),
  },
  {
    title: "Verified",
    cell: ({ data }) => (data.email_verified_at ? <Pill tone="good">yes</Pill> : <Pill>no</Pill>),
    sortBy: ({ data }) => String(data.email_verified),
  },
  { title: "Created", cell: ({ data }) => <Time at={data.created_at} />, sortBy: ({ data }) => data.created_at },
];

function addressOf({ id, data }: User): string {
  return href(["users", id], { instance: data.instance });
}

/** The users of one instance, searched by the server. */
export function Users(): VNode {
  const { query = "", instance: wanted } = location.value.query;
  const instance = wanted ?? preferredInstance.value;
  const problem = useSignal<Error | undefined>(undefined);
  const isAdding = location.value.query["new"] === "yes";
  const add = (isOpen: boolean): void => refine({ new: isOpen ? "yes" : undefined });
  const selection = useSelection();
  useEffect(() => void (selection.value = new Set()), [instance]);
  const version = useSignal(0);
  return (
    <>
      <Heading
        title="Users"
        note="The people of one instance: those who signed in, and those that the server began with."
      >
        <ExportButtons noun="users" query={{ ...searchFor(query), instance }} />
        <Button icon="plus" kind="primary" onClick={() => add(true)}>
          New user
        </Button>
      </Heading>
      <div class="search-row">
        <QueryInput
          noun="users"
          fields={USER_FIELDS}
          values={{ provider: service.value.providers }}
          value={query}
          onSearch={(text) => refine({ query: text })}
          error={problem.value}
        />
        <InstanceFilter value={currentInstance(instance)} />
      </div>
      <UserActions selection={selection} instance={currentInstance(instance)} onDone={() => void version.value++} />
      <Panel flush>
        <PagedTable
          label="Users"
          route="GET /users"
          query={{ ...searchFor(query), instance }}
          columns={COLUMNS}
          selection={selection}
          idOf={({ id }) => id}
          linkOf={addressOf}
          onRefusal={(error) => void (problem.value = error)}
          reloadKey={version.value}
          empty={
            <Empty icon="users" title={query ? "No user matches" : "No users yet"}>
              {query ? (
                <>
                  Wildcards go at the ends of a value: <code>email:*@acme.com</code>. Different fields must all match.
                </>
              ) : (
                <>
                  Sign somebody in under <a href="#/try-it">Try it</a>, or{" "}
                  <a href={href(["control"], { section: "data" })}>generate users</a>.
                </>
              )}
            </Empty>
          }
        />
      </Panel>
      {isAdding && <UserForm onClose={() => add(false)} onDone={() => void version.value++} />}
    </>
  );
}

/** What can be done with several users at once. */
export function UserActions({
  selection,
  instance,
  onDone,
}: {
  selection: Selection;
  /** Whose users they are. */
  instance: string;
  onDone: () => void;
}): VNode {
  const asked = useSignal<"delete" | "revoke" | undefined>(undefined);
  const { size } = selection.value;
  const users = size === 1 ? "user" : "users";
  const remove = async (): Promise<void> => {
    try {
      await forEachSelected(selection.peek(), (id) =>
        control.request("DELETE /users/:id", { params: { id }, query: { instance } }),
      );
      notify("good", `${size} ${users} deleted`);
      selection.value = new Set();
    } finally {
      onDone();
    }
  };
  const revoke = async (): Promise<void> => {
    let revoked = 0;
    await forEachSelected(selection.peek(), async (id) => {
      revoked += await revokeSessionsOf(
        await control.request("GET /users/:id", { params: { id }, query: { instance } }),
      );
    });
    notify("good", `${revoked} ${revoked === 1 ? "session" : "sessions"} revoked`);
  };
  return (
    <>
      <SelectionBar selection={selection} noun="users">
        <Button small onClick={() => void (asked.value = "revoke")}>
          Revoke their sessions…
        </Button>
        <Button small kind="danger" testId="delete-selected" onClick={() => void (asked.value = "delete")}>
          Delete…
        </Button>
      </SelectionBar>
      {asked.value === "delete" && (
        <Confirm
          title={`Delete ${size} ${users}?`}
          action={`Delete ${size} ${users}`}
          onClose={() => void (asked.value = undefined)}
          onConfirm={remove}
        >
          <p>
            With all identities and sessions. Their tokens stop verifying. This cannot be undone, except by restoring a
            snapshot.
          </p>
        </Confirm>
      )}
      {asked.value === "revoke" && (
        <Confirm
          title={`Revoke the sessions of ${size} ${users}?`}
          action="Revoke"
          onClose={() => void (asked.value = undefined)}
          onConfirm={revoke}
        >
          <p>Every open session of these users ends. Tokens that were issued go on verifying until they expire.</p>
        </Confirm>
      )}
    </>
  );
}

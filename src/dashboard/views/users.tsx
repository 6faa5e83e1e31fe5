import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { providerTitle } from "../../wire/providers.ts";
import { USER_FIELDS } from "../../wire/search/fields.ts";
import { control, type User } from "../api/client.ts";
import { currentInstance, revokeSessionsOf, service } from "../api/service.ts";
import { href, location, refine } from "../router.ts";
import { reloadAll } from "../api/use-load.ts";
import { Button, notify } from "../ui/button.tsx";
import { AskButton } from "../ui/dialog.tsx";
import { PagedTable } from "../ui/paged-table.tsx";
import { Empty, Panel, Pill } from "../ui/parts.tsx";
import type { Column, Selection } from "../ui/table-row.tsx";
import { counted } from "../ui/text.ts";
import { Time, Person } from "../ui/values.tsx";
import { SearchView } from "./search-view.tsx";
import { UserForm } from "./user-form.tsx";

const COLUMNS: readonly Column<User>[] = [
  {
    title: "User",
    cell: (user) => <Person name={user.data.name} email={user.data.email} address={addressOf(user)} />,
    sortBy: "name",
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
    sortBy: "email_verified",
  },
  { title: "Created", cell: ({ data }) => <Time at={data.created_at} />, sortBy: "created_at" },
];

function addressOf({ id, data }: User): string {
  return href(["users", id], { instance: data.instance });
}

/** The users of one instance, searched by the server. */
export function Users() {
  const { query: text, instance, new: adding } = location.value.query;
  const add = (isOpen: boolean): void => refine({ new: isOpen ? "yes" : undefined });
  const selection: Selection = useSignal(new Set());
  const current = currentInstance(instance);
  useEffect(() => void (selection.value = new Set()), [current]);
  return (
    <>
      <SearchView
        noun="users"
        title="Users"
        note="The people of one instance: those who signed in, and those that the server began with."
        fields={USER_FIELDS}
        values={{ provider: service.value.providers }}
        actions={
          <Button icon="plus" kind="primary" onClick={() => add(true)}>
            New user
          </Button>
        }
      >
        {(query) => (
          <>
            <UserActions selection={selection} instance={current} />
            <Panel flush>
              <PagedTable
                query={query}
                label="Users"
                route="GET /users"
                columns={COLUMNS}
                selection={selection}
                linkOf={addressOf}
                empty={
                  <Empty icon="users" title={text ? "No user matches" : "No users yet"}>
                    {text ? (
                      <>
                        Wildcards go at the ends of a value: <code>email:*@acme.com</code>. Different fields must all
                        match.
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
          </>
        )}
      </SearchView>
      {adding === "yes" && <UserForm onClose={() => add(false)} />}
    </>
  );
}

/** What can be done with the selected users. */
function UserActions({ selection, instance }: { selection: Selection; instance: string }) {
  const { size } = selection.value;
  if (size === 0) return null;
  const users = counted(size, "user");
  const clear = (): void => void (selection.value = new Set());
  const remove = async (): Promise<void> => {
    try {
      await forEach(selection.peek(), (id) =>
        control.request("DELETE /users/:id", { params: { id }, query: { instance } }),
      );
      notify("good", `${users} deleted`);
      clear();
    } finally {
      reloadAll();
    }
  };
  const revoke = async (): Promise<void> => {
    let revoked = 0;
    await forEach(selection.peek(), async (id) => {
      revoked += await revokeSessionsOf(
        await control.request("GET /users/:id", { params: { id }, query: { instance } }),
      );
    });
    notify("good", `${counted(revoked, "session")} revoked`);
  };
  return (
    <div class="selection-bar" role="region" aria-label="Selected rows" data-testid="selection">
      <strong role="status">{users} selected</strong>
      <AskButton
        kind="plain"
        small
        button="Revoke their sessions…"
        title={`Revoke the sessions of ${users}?`}
        action="Revoke"
        run={revoke}
      >
        Every open session of these users ends. Tokens that were issued go on verifying until they expire.
      </AskButton>
      <AskButton
        small
        testId="delete-selected"
        button="Delete…"
        title={`Delete ${users}?`}
        action={`Delete ${users}`}
        run={remove}
      >
        With all identities and sessions. Their tokens stop verifying. This cannot be undone, except by restoring a
        snapshot.
      </AskButton>
      <Button small kind="quiet" onClick={clear}>
        Clear
      </Button>
    </div>
  );
}

/** Does something for each id, one after the other. @throws {Error} that says how many were done before one failed */
async function forEach(ids: Iterable<string>, act: (id: string) => Promise<unknown>): Promise<void> {
  let done = 0;
  for (const id of ids) {
    try {
      await act(id);
      done++;
    } catch (error) {
      throw new Error(`${done} done, then one failed: ${(error as Error).message}`, { cause: error });
    }
  }
}

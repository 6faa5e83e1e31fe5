import { providerTitle } from "../../wire/providers.ts";
import type { User } from "../api/client.ts";
import { href, location, refine } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { PagedTable } from "../ui/paged-table.tsx";
import { Empty, Panel, Pill } from "../ui/parts.tsx";
import type { Column } from "../ui/table.tsx";
import { Time, PersonShown } from "../ui/values.tsx";
import { SearchView } from "./search-view.tsx";
import { UserForm } from "./user-form.tsx";

const COLUMNS: readonly Column<User>[] = [
  {
    title: "User",
    cell: ({ id, data }) => (
      <PersonShown name={data.name} email={data.email} address={href(["users", id], { instance: data.instance })} />
    ),
    isWide: true,
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
    isSpare: true,
  },
  {
    title: "E-mail",
    cell: ({ data }) => (data.email_verified_at ? <Pill tone="good">verified</Pill> : <Pill>not verified</Pill>),
  },
  { title: "Created", cell: ({ data }) => <Time at={data.created_at} />, isSpare: true },
];

/** The users of one instance, searched by the server. */
export function UsersPage() {
  const { query: text, new: adding } = location.value.query;
  const add = (isOpen: boolean): void => refine({ new: isOpen ? "yes" : undefined });
  return (
    <>
      <SearchView
        noun="users"
        title="Users"
        note="The people of one instance: those who signed in, and those that the server began with."
        actions={
          <Button icon="plus" kind="primary" onClick={() => add(true)}>
            New user
          </Button>
        }
      >
        {(query) => (
          <Panel flush>
            <PagedTable
              query={query}
              label="Users"
              route="GET /users"
              columns={COLUMNS}
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
        )}
      </SearchView>
      {adding === "yes" && <UserForm onClose={() => add(false)} />}
    </>
  );
}

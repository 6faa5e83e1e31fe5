import { isSignInOf, personOf } from "../../wire/control/flows.ts";
import { providerTitle, type Provider } from "../../wire/providers.ts";
import { visible } from "../../text/harmless.ts";
import { control, type User as UserRecord } from "../api/client.ts";
import { instanceName, revokeSessionsOf } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { go, goTo, href, listAddress, location } from "../router.ts";
import { Button, changed, notify } from "../ui/button.tsx";
import { CopyButton, CopyableValue, Time, Avatar, UserText } from "../ui/values.tsx";
import { AskButton, openDialog } from "../ui/dialog.tsx";
import { useLiveList } from "../ui/live-list.ts";
import { Facts, PageHeading, Listed, Panel, Pill, Unloaded } from "../ui/parts.tsx";
import { counted } from "../ui/text.ts";
import { FlowTable } from "./flows.tsx";
import { SessionTable } from "./sessions.tsx";
import { MintToken } from "./token.tsx";
import { UserForm } from "./user-form.tsx";

/** One user: identities, sessions, and a form that creates tokens. */
export function UserPage({ id }: { id: string }) {
  const { instance } = location.value.query;
  const read = (): Promise<UserRecord> => control.request("GET /users/:id", { params: { id }, query: { instance } });
  const { data: user, error, reload } = useLoad(read, [id, instance]);
  if (!user || error) return <Unloaded title="User" back={listAddress("users")} error={error} onRetry={reload} />;
  const { data } = user;
  const { identities = [] } = data;
  const signInAs = async (provider: Provider): Promise<void> => {
    const body = { provider, as: data.email, instance: data.instance };
    const { flow_id, user_id, error: refusal } = await control.request("POST /sign-ins", { body });
    if (refusal) notify("bad", `Not signed in: ${refusal}. Its steps, under Sign-ins, have the reason.`);
    else if (user_id !== id) notify("bad", `${providerTitle(provider)} signed in another user, whose account it is.`);
    else notify("good", "Signed in");
    go(["flows", flow_id]);
  };
  const remove = async (): Promise<void> => {
    await control.request("DELETE /users/:id", { params: { id: user.id }, query: { instance: data.instance } });
    notify("good", `Deleted ${data.email}`);
    goTo(listAddress("users"));
  };
  const revokeAll = async (): Promise<void> => changed(`${counted(await revokeSessionsOf(user), "session")} revoked`);
  return (
    <>
      <PageHeading
        back={listAddress("users")}
        picture={<Avatar name={data.name} large />}
        title={<UserText text={data.name} />}
      >
        {[...new Set(identities.map(({ provider }) => provider))].map((provider) => (
          <Button key={provider} icon="try-it" onClick={() => signInAs(provider)}>
            Sign in with {providerTitle(provider)}
          </Button>
        ))}
        <Button onClick={() => openDialog(<UserForm user={user} />)} testId="edit-user">
          Edit…
        </Button>
        <AskButton
          testId="delete-user"
          button="Delete…"
          title={`Delete ${visible(data.name)}?`}
          action="Delete user"
          run={remove}
        >
          <strong>
            <UserText text={data.email} />
          </strong>{" "}
          of <UserText text={instanceName(data.instance)} />, with all identities and sessions. Tokens of this user stop
          verifying. This cannot be undone, except by restoring a snapshot.
        </AskButton>
      </PageHeading>
      <div class="grid-2">
        <Panel title="About">
          <Facts
            rows={[
              [
                "E-mail address",
                <>
                  <UserText text={data.email} />
                  <CopyButton text={data.email} label="E-mail address" />
                </>,
              ],
              [
                "Verified",
                data.email_verified_at ? (
                  <>
                    <Pill tone="good">yes</Pill> <Time at={data.email_verified_at} />
                  </>
                ) : (
                  <>
                    <Pill>no</Pill> <span class="muted">{unverified(user)}</span>
                  </>
                ),
              ],
              ["Instance", <a href={href(["instances", data.instance])}>{instanceName(data.instance)}</a>],
              ["Picture", data.avatar_url && <code>{data.avatar_url}</code>],
              ["Created", <Time at={data.created_at} />],
              ["Updated", <Time at={data.updated_at} />],
              ["Id", <CopyableValue text={user.id} label="User id" />],
            ]}
          />
        </Panel>
        <Panel title="Identities">
          {identities.length === 0 && <p class="muted">None: this user has not signed in through a provider.</p>}
          <Facts
            rows={identities.map(({ provider, uid, email, email_verified }) => [
              providerTitle(provider),
              <>
                <code>{uid}</code>
                <UserText text={email ?? ""} muted />
                {email_verified && <Pill tone="good">verified by {providerTitle(provider)}</Pill>}
              </>,
            ])}
          />
        </Panel>
      </div>
      <MintToken user={user} />
      <Panel
        title="Sessions"
        flush
        actions={
          <AskButton
            small
            testId="revoke-all"
            button="Revoke all…"
            title="Revoke all sessions?"
            action="Revoke all"
            run={revokeAll}
          >
            Every open session of <UserText text={data.email} /> ends. Tokens that were issued go on verifying until
            they expire.
          </AskButton>
        }
      >
        <SessionTable query={{ query: `user_id:${user.id}`, instance: data.instance }} />
      </Panel>
      <SignIns user={user} />
    </>
  );
}

/** Which address is verified, and who verified it: only Google's word, and an operator's, verifies the user's own. */
function unverified({ data: { email, identities = [] } }: UserRecord): string {
  const by = identities.filter((one) => one.email_verified && one.email?.toLowerCase() === email.toLowerCase());
  if (by.length === 0) return "No provider has verified this address.";
  const names = by.map(({ provider }) => providerTitle(provider)).join(" and ");
  return `${names} has verified the address of the account there. A sign-in through Google verifies the user's.`;
}

const SHOWN = 10;

/** A user's latest sign-ins, as far as the server keeps them. */
function SignIns({ user }: { user: UserRecord }) {
  const person = personOf(user);
  const query = { user: user.id, instance: user.data.instance };
  const { rows, error, reload } = useLiveList("flow", query, ({ data }) => isSignInOf(data, person), SHOWN);
  return (
    <Panel
      title="Sign-ins"
      flush
      testId="user-sign-ins"
      actions={rows && rows.length > 0 && <a href={href(["flows"], query)}>All sign-ins of this user</a>}
    >
      <Listed
        data={rows}
        error={error}
        reload={reload}
        empty={<p class="padded muted">None that the server still has: it keeps the latest in memory.</p>}
      >
        {(flows) => <FlowTable label="Sign-ins of this user" flows={flows} />}
      </Listed>
    </Panel>
  );
}

import type { BodyOf } from "../../wire/control/types.ts";
import type { Provider } from "../../wire/providers.ts";
import { visible } from "../../text/harmless.ts";
import { control } from "../api/client.ts";
import { preferredInstance, refreshState } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { goTo, href, listAddress } from "../router.ts";
import { Button, changed, notify } from "../ui/button.tsx";
import { CopyableValue, Time, UserText } from "../ui/values.tsx";
import { AskButton, openDialog } from "../ui/dialog.tsx";
import { Select, TextField } from "../ui/field.tsx";
import { TextForm } from "../ui/form.tsx";
import { Facts, PageHeading, Listed, Panel, Pill, Unloaded } from "../ui/parts.tsx";
import { countText } from "../ui/text.ts";
import { providerChoices } from "./choices.ts";
import { ClientsPanel } from "./clients.tsx";
import { ConnectionsPanel } from "./connections.tsx";
import { ActivePill, InstanceForm } from "./instances.tsx";
import { KeysPanel } from "./keys.tsx";

/** One application: keys, addresses, providers. */
export function InstancePage({ id }: { id: string }) {
  const params = { id };
  const { data: instance, error, reload } = useLoad(() => control.request("GET /instances/:id", { params }), [id]);
  if (!instance || error)
    return <Unloaded title="Instance" back={listAddress("instances")} error={error} onRetry={reload} />;
  const { data } = instance;
  const change = async (body: BodyOf<"PATCH /instances/:id">): Promise<void> => {
    await control.request("PATCH /instances/:id", { params, body });
    changed("Saved");
  };
  const remove = async (): Promise<void> => {
    await control.request("DELETE /instances/:id", { params });
    if (preferredInstance.peek() === instance.id) preferredInstance.value = undefined;
    await refreshState();
    notify("good", `Deleted ${visible(data.name)}`);
    goTo(listAddress("instances"));
  };
  return (
    <>
      <PageHeading
        back={listAddress("instances")}
        title={
          <span class="row">
            <UserText text={data.name} /> <ActivePill isActive={data.active} />{" "}
            {data.preview && <Pill tone="plain">previews</Pill>}
          </span>
        }
      >
        <a class="button" href={href(["users"], { instance: instance.id })}>
          Users
        </a>
        <Button testId="edit-instance" onClick={() => openDialog(<InstanceForm instance={instance} onSave={change} />)}>
          Edit…
        </Button>
        {data.active ? (
          <AskButton
            button="Deactivate…"
            title={`Deactivate ${visible(data.name)}?`}
            action="Deactivate"
            run={() => change({ active: false })}
          >
            Users can't sign in until you activate it again, and sign-ins under way fail. Tokens and API requests go on
            working.
          </AskButton>
        ) : (
          <Button onClick={() => change({ active: true })}>Activate</Button>
        )}
        <AskButton
          testId="delete-instance"
          button="Delete…"
          title={`Delete ${visible(data.name)}?`}
          action="Delete instance"
          run={remove}
          more={
            <TextField
              name="confirmed"
              label={`To confirm, type ${data.subdomain}`}
              required
              pattern={data.subdomain}
              autocomplete="off"
            />
          }
        >
          With <UserCount instance={instance.id} />, their sessions, its keys and connections. Its application can't
          sign users in any more, and no token of it verifies. This cannot be undone, except by restoring a snapshot.
        </AskButton>
      </PageHeading>
      <div class="grid-2">
        <KeysPanel instance={instance} />
        <Panel title="About">
          <Facts
            rows={[
              ["Address", <CopyableValue text={data.url} label="Address" />],
              [
                "Default provider",
                <Select
                  inline
                  label="Default provider"
                  value={data.default_provider}
                  choices={providerChoices()}
                  onChange={(name) => void change({ default_provider: name as Provider })}
                />,
              ],
              ["App id", <code>{data.app_id}</code>],
              ["Created", <Time at={data.created_at} />],
              ["Id", <CopyableValue text={instance.id} label="Instance id" />],
            ]}
          />
        </Panel>
      </div>
      <RedirectUris
        uris={data.redirect_uris}
        isPreview={data.preview}
        onSave={(redirect_uris) => change({ redirect_uris })}
      />
      <ConnectionsPanel instance={instance} />
      <ClientsPanel instance={instance} />
    </>
  );
}

function UserCount({ instance }: { instance: string }) {
  const { data } = useLoad(() => control.request("GET /users/count", { query: { instance } }), [instance]);
  const count = data ? countText(data) : "its";
  return (
    <strong>
      {count} {count === "1" ? "user" : "users"}
    </strong>
  );
}

/** The allowed redirect URIs, with the rule beside them. */
function RedirectUris(props: {
  uris: readonly string[];
  isPreview: boolean;
  onSave: (uris: string[]) => Promise<void>;
}) {
  const { uris, isPreview, onSave } = props;
  return (
    <Panel title="Redirect URIs" testId="redirect-uris">
      <div class="stack">
        <Listed
          data={uris}
          empty={
            <p class="muted">
              None are registered. While only this machine can reach the server, a browser is sent to loopback addresses
              alone, and with <code>--strict</code> nowhere.
            </p>
          }
        >
          {(all) => (
            <ul class="entries">
              {all.map((uri) => (
                <li key={uri}>
                  <code class="grow">{uri}</code>
                  <Button
                    kind="quiet"
                    small
                    icon="cross"
                    label={`Remove ${uri}`}
                    onClick={() => onSave(uris.filter((one) => one !== uri))}
                  />
                </li>
              ))}
            </ul>
          )}
        </Listed>
        <TextForm
          label="Add an address"
          hint={`Matched exactly. On loopback any port matches; an entry that ends in ?* takes any query; com.example.app:/callback is an app's own scheme.${isPreview ? " One * may stand for a-z, 0-9 and - in a label of the host: https://*.preview.acme.dev/callback." : ""}`}
          placeholder="https://app.example.com/callback"
          action="Add"
          onSubmit={(uri) => onSave([...uris, uri])}
        />
      </div>
    </Panel>
  );
}

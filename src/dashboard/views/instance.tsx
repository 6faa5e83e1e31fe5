import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { BodyOf } from "../../wire/control/types.ts";
import type { Provider } from "../../wire/providers.ts";
import { visible } from "../../wire/text/harmless.ts";
import { control } from "../api/client.ts";
import { refreshState } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { href, listAddress } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { CopyableValue } from "../ui/copy.tsx";
import { Select, TextField, useForm } from "../ui/field.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { notify } from "../ui/notices.tsx";
import { Facts, Heading, Panel, Pill, Unloaded } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";
import { providerChoices } from "./choices.ts";
import { Connections } from "./connections.tsx";
import { DeleteInstance, InstanceForm } from "./instance-form.tsx";
import { Keys } from "./keys.tsx";
import { UserText } from "../ui/user-text.tsx";

/** One application: keys, addresses, providers. */
export function Instance({ id }: { id: string }): VNode {
  const params = { id };
  const { data: instance, error, reload } = useLoad(() => control.request("GET /instances/:id", { params }), [id]);
  const asked = useSignal<"stop" | "edit" | "delete" | undefined>(undefined);
  const close = (): void => void (asked.value = undefined);
  if (!instance || error)
    return <Unloaded title="Instance" back={listAddress("instances")} error={error} onRetry={reload} />;
  const { data } = instance;
  const change = async (body: BodyOf<"PATCH /instances/:id">): Promise<void> => {
    await control.request("PATCH /instances/:id", { params, body });
    notify("good", "Saved");
    reload();
    void refreshState();
  };
  return (
    <>
      <Heading
        back={listAddress("instances")}
        title={
          <span class="row">
            <UserText text={data.name} />{" "}
            {data.active ? <Pill tone="good">active</Pill> : <Pill tone="warn">not active</Pill>}{" "}
            {data.preview && <Pill tone="plain">previews</Pill>}
          </span>
        }
      >
        <a class="button" href={href(["users"], { instance: instance.id })}>
          Users
        </a>
        <Button testId="edit-instance" onClick={() => void (asked.value = "edit")}>
          Edit…
        </Button>
        {data.active ? (
          <Button kind="danger" onClick={() => void (asked.value = "stop")}>
            Deactivate…
          </Button>
        ) : (
          <Button onClick={() => change({ active: true })}>Activate</Button>
        )}
        <Button kind="danger" testId="delete-instance" onClick={() => void (asked.value = "delete")}>
          Delete…
        </Button>
      </Heading>
      <div class="grid-2">
        <Keys instance={instance} onRotate={reload} />
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
      <Connections instance={instance} />
      {asked.value === "edit" && <InstanceForm instance={instance} onClose={close} onSave={change} />}
      {asked.value === "delete" && <DeleteInstance instance={instance} onClose={close} />}
      {asked.value === "stop" && (
        <Confirm
          title={`Deactivate ${visible(data.name)}?`}
          action="Deactivate"
          onConfirm={() => change({ active: false })}
          onClose={close}
        >
          <p>
            Users can't sign in until you activate it again, and sign-ins under way fail. Tokens and API requests go on
            working.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** The allowed redirect URIs, with the rule beside them. */
export function RedirectUris({
  uris,
  isPreview,
  onSave,
}: {
  uris: readonly string[];
  isPreview: boolean;
  onSave: (uris: string[]) => Promise<void>;
}): VNode {
  const added = useSignal("");
  const form = useForm(async () => {
    await onSave([...uris, added.value.trim()]);
    added.value = "";
  });
  return (
    <Panel title="Redirect URIs" testId="redirect-uris">
      <div class="stack">
        {uris.length === 0 ? (
          <p class="muted">
            None are registered. While only this machine can reach the server, browsers are sent to loopback addresses,
            and elsewhere only after a click on the picker.
          </p>
        ) : (
          <ul class="entries">
            {uris.map((uri) => (
              <li key={uri}>
                <code>{uri}</code>
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
        <form class="row" onSubmit={form.onSubmit}>
          <div class="grow">
            <TextField
              label="Add an address"
              error={form.problem}
              hint={`Matched exactly. On loopback any port matches; an entry that ends in ?* takes any query; com.example.app:/callback is an app's own scheme.${isPreview ? " One * may stand for a-z, 0-9 and - in a label of the host: https://*.preview.acme.dev/callback." : ""}`}
              required
              placeholder="https://app.example.com/callback"
              value={added}
            />
          </div>
          <Button type="submit">Add</Button>
        </form>
      </div>
    </Panel>
  );
}

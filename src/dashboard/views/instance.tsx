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
import { Select } from "../ui/field.tsx";
import { Confirm } from "../ui/form-dialog.tsx";
import { notify } from "../ui/notices.tsx";
import { Facts, Heading, Panel, Pill, Unloaded } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";
import { providerChoices } from "./choices.ts";
import { Connections } from "./instances/connections.tsx";
import { DeleteInstance } from "./instances/delete-instance.tsx";
import { InstanceForm } from "./instances/instance-form.tsx";
import { Keys } from "./instances/keys.tsx";
import { RedirectUris } from "./instances/redirect-uris.tsx";
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

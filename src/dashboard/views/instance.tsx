import type { VNode } from "preact";
import { call, get } from "../api/client.ts";
import type { Instance as InstanceRecord } from "../api/records.ts";
import { refreshState, service } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { href, listAddress } from "../router.ts";
import { Button, Copy } from "../ui/button.tsx";
import { choicesOf, Select } from "../ui/field.tsx";
import { notify } from "../ui/notices.tsx";
import { Facts, Heading, Panel, Pill, Placeholder, Problem } from "../ui/parts.tsx";
import { Time } from "../ui/time.tsx";
import { Connections } from "./instances/connections.tsx";
import { Keys } from "./instances/keys.tsx";
import { RedirectUris } from "./instances/redirect-uris.tsx";
import { UserText } from "../ui/user-text.tsx";

/** One application: keys, addresses, providers. */
export function Instance({ id }: { id: string }): VNode {
  const path = `instances/${encodeURIComponent(id)}`;
  const { data: instance, error, reload } = useLoad(() => get<InstanceRecord>(path), [id]);
  if (error)
    return (
      <>
        <Heading title="Instance" back={listAddress("instances")} />
        <Problem error={error} onRetry={reload} />
      </>
    );
  if (!instance) return <Placeholder lines={8} />;
  const { data } = instance;
  const change = async (patch: Readonly<Record<string, unknown>>): Promise<void> => {
    await call("PATCH", path, patch);
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
            <UserText text={data.name} />
            {data.active ? <Pill tone="good">active</Pill> : <Pill tone="warn">not active</Pill>}
          </span>
        }
      >
        <a class="button" href={href(["users"], { instance: instance.id })}>
          Users
        </a>
        <Button onClick={() => change({ active: !data.active })}>{data.active ? "Deactivate" : "Activate"}</Button>
      </Heading>
      <div class="grid-2">
        <Keys instance={instance} onRotate={reload} />
        <Panel title="About">
          <Facts
            rows={[
              [
                "Address",
                data.url ? (
                  <>
                    <code>{data.url}</code>
                    <Copy text={data.url} label="Address" />
                  </>
                ) : (
                  "None while it is not active"
                ),
              ],
              [
                "Default provider",
                <Select
                  inline
                  label="Default provider"
                  value={data.default_provider}
                  choices={choicesOf(service.value.providers)}
                  onChange={(default_provider) => void change({ default_provider })}
                />,
              ],
              ["App id", <code>{data.app_id}</code>],
              ["Created", <Time at={data.created_at} />],
              [
                "Id",
                <>
                  <code>{instance.id}</code>
                  <Copy text={instance.id} label="Instance id" />
                </>,
              ],
            ]}
          />
        </Panel>
      </div>
      <RedirectUris uris={data.redirect_uris} onSave={(redirect_uris) => change({ redirect_uris })} />
      <Connections instance={instance} />
    </>
  );
}

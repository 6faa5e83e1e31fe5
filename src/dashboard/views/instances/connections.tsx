import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { providerTitle, type Provider } from "../../../wire/providers.ts";
import { control } from "../../api/client.ts";
import type { Instance } from "../../api/records.ts";
import { useLoad } from "../../api/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";
import { Panel, Pill, Placeholder, Problem, type Tone } from "../../ui/parts.tsx";
import { sentence } from "../../ui/sentence.ts";
import { EditConnection, type Listed } from "./edit-connection.tsx";

const TONES: Readonly<Record<string, Tone>> = { own: "good", global: "info", simulated: "plain", off: "warn" };

async function readAll(id: string): Promise<Listed[]> {
  const params = { id };
  const [connections, { data }] = await Promise.all([
    control.request("GET /instances/:id/connections", { params }),
    control.request("GET /instances/:id", { params }),
  ]);
  return connections.map((connection) => ({ connection, own: data.connections[connection.data.provider] }));
}

/** Single-sign-on connections: for each provider, the credentials in use and the reason. */
export function Connections({ instance }: { instance: Instance }): VNode {
  const { data, error, reload } = useLoad(() => readAll(instance.id), [instance.id]);
  const edited = useSignal<Listed | undefined>(undefined);
  const removed = useSignal<Provider | undefined>(undefined);
  const results = useSignal<Readonly<Record<string, { ok: boolean; message: string }>>>({});
  const paramsOf = (provider: Provider): { id: string; provider: Provider } => ({ id: instance.id, provider });
  const test = async (provider: Provider): Promise<void> => {
    const params = paramsOf(provider);
    const result = await control.request("POST /instances/:id/connections/:provider/test", { params });
    results.value = { ...results.peek(), [provider]: result };
  };
  const remove = async (provider: Provider): Promise<void> => {
    await control.request("DELETE /instances/:id/connections/:provider", { params: paramsOf(provider) });
    notify("good", `${providerTitle(provider)}: own credentials removed`);
    reload();
  };
  return (
    <Panel title="Single-sign-on connections" testId="connections">
      {error && <Problem error={error} onRetry={reload} />}
      {!data && !error && <Placeholder lines={3} />}
      <ul class="connections">
        {data?.map((listed) => {
          const { connection, own } = listed;
          const { provider, in_force, why, client_id } = connection.data;
          const result = results.value[provider];
          return (
            <li key={provider} data-testid={`connection-${provider}`}>
              <div class="connection-text">
                <div class="row">
                  <strong>{providerTitle(provider)}</strong>
                  <Pill tone={TONES[in_force] ?? "plain"}>{in_force}</Pill>
                  {client_id !== null && <code class="faint">{client_id}</code>}
                </div>
                <span class="muted">{sentence(why)}</span>
                {result && (
                  <span class={result.ok ? "good-text" : "bad-text"} role="status">
                    {result.message}
                  </span>
                )}
              </div>
              <div class="actions">
                {in_force !== "off" && (
                  <Button small onClick={() => test(provider)}>
                    Test
                  </Button>
                )}
                <Button small onClick={() => void (edited.value = listed)}>
                  {own ? "Change…" : "Use own credentials…"}
                </Button>
                {own && (
                  <Button small kind="danger" onClick={() => void (removed.value = provider)}>
                    Remove…
                  </Button>
                )}
              </div>
            </li>
          );
        })}
      </ul>
      {edited.value && (
        <EditConnection
          instance={instance.id}
          {...edited.value}
          onClose={() => void (edited.value = undefined)}
          onDone={reload}
        />
      )}
      {removed.value && (
        <Confirm
          title={`Remove the ${providerTitle(removed.value)} credentials?`}
          action="Remove"
          onConfirm={() => remove(removed.value!)}
          onClose={() => void (removed.value = undefined)}
        >
          <p>
            Sign-ins through {providerTitle(removed.value)} then use the credentials of the server, if it has some. The
            secret can't be read back: you need it again to undo this.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

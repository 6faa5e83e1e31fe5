import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { call, get, post } from "../../api/client.ts";
import type { Connection, ConnectionTest, Instance } from "../../api/records.ts";
import { useLoad } from "../../api/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { notify } from "../../ui/notices.tsx";
import { Panel, Pill, Placeholder, Problem, type Tone } from "../../ui/parts.tsx";
import { EditConnection } from "./edit-connection.tsx";

const TONES: Readonly<Record<string, Tone>> = { own: "good", global: "info", simulated: "plain" };

interface Listed {
  readonly connection: Connection;
  /** Whether the instance has credentials of its own, in force or not. */
  readonly hasOwn: boolean;
}

async function readAll(id: string): Promise<Listed[]> {
  const path = `instances/${encodeURIComponent(id)}`;
  const [connections, { data }] = await Promise.all([get<Connection[]>(`${path}/connections`), get<Instance>(path)]);
  return connections.map((connection) => ({ connection, hasOwn: connection.data.provider in data.connections }));
}

/** Single-sign-on connections: for each provider whose credentials are in force, and why. */
export function Connections({ instance }: { instance: Instance }): VNode {
  const path = `instances/${encodeURIComponent(instance.id)}/connections`;
  const { data, error, reload } = useLoad(() => readAll(instance.id), [instance.id]);
  const edited = useSignal<Connection | undefined>(undefined);
  const results = useSignal<Readonly<Record<string, { ok: boolean; text: string }>>>({});
  const test = async (provider: string): Promise<void> => {
    const result = await post<ConnectionTest>(`${path}/${provider}/test`);
    results.value = {
      ...results.peek(),
      [provider]: { ok: result.ok, text: result.message },
    };
  };
  return (
    <Panel title="Single-sign-on connections" testId="connections">
      {error && <Problem error={error} onRetry={reload} />}
      {!data && !error && <Placeholder lines={3} />}
      <ul class="connections">
        {data?.map(({ connection, hasOwn }) => {
          const { provider, in_force, why, client_id } = connection.data;
          const result = results.value[provider];
          return (
            <li key={provider} data-testid={`connection-${provider}`}>
              <div class="connection-text">
                <div class="row">
                  <strong>{provider}</strong>
                  <Pill tone={TONES[in_force] ?? "plain"}>{in_force}</Pill>
                  <code class="faint">{client_id}</code>
                </div>
                <span class="muted">{why}</span>
                {result && (
                  <span class={result.ok ? "good-text" : "bad-text"} role="status">
                    {result.text}
                  </span>
                )}
              </div>
              <div class="actions">
                <Button small onClick={() => test(provider)}>
                  Test
                </Button>
                <Button small onClick={() => void (edited.value = connection)}>
                  {hasOwn ? "Change…" : "Use own credentials…"}
                </Button>
                {hasOwn && (
                  <Button
                    small
                    kind="danger"
                    onClick={async () => {
                      await call("DELETE", `${path}/${provider}`);
                      notify("good", `${provider}: own credentials removed`);
                      reload();
                    }}
                  >
                    Remove
                  </Button>
                )}
              </div>
            </li>
          );
        })}
      </ul>
      {edited.value && (
        <EditConnection
          path={`${path}/${edited.value.data.provider}`}
          connection={edited.value}
          onClose={() => void (edited.value = undefined)}
          onDone={reload}
        />
      )}
    </Panel>
  );
}

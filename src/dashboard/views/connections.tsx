import { useSignal } from "@preact/signals";
import { providerTitle, type Provider } from "../../wire/providers.ts";
import { control, type Instance, type Connection } from "../api/client.ts";
import { useLoad } from "../api/use-load.ts";
import { Button, changed } from "../ui/button.tsx";
import { AskButton, FormDialog, openDialog } from "../ui/dialog.tsx";
import { Listed, Panel, Pill, type Tone } from "../ui/parts.tsx";
import { sentence } from "../ui/text.ts";
import { TextField } from "../ui/field.tsx";
import type { Send } from "../ui/form.tsx";

const TONES: Readonly<Record<string, Tone>> = { own: "good", global: "info", simulated: "plain", off: "warn" };

/** Single-sign-on connections: for each provider, the credentials in use and the reason. */
export function ConnectionsPanel({ instance }: { instance: Instance }) {
  const { id } = instance;
  const list = useLoad(() => control.request("GET /instances/:id/connections", { params: { id } }), [id]);
  const results = useSignal<Readonly<Record<string, { ok: boolean; message: string }>>>({});
  const test = async (provider: Provider): Promise<void> => {
    const params = { id, provider };
    const result = await control.request("POST /instances/:id/connections/:provider/test", { params });
    results.value = { ...results.peek(), [provider]: result };
  };
  return (
    <Panel title="Single-sign-on connections" testId="connections">
      <Listed {...list} empty={null}>
        {(rows) => (
          <ul class="entries">
            {rows.map((connection) => {
              const { provider, in_force, why, client_id } = connection.data;
              const title = providerTitle(provider);
              const params = { id, provider };
              const own = instance.data.connections[provider];
              const result = results.value[provider];
              return (
                <li key={provider} data-testid={`connection-${provider}`}>
                  <div class="entry">
                    <div class="row">
                      <strong>{title}</strong>
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
                    <Button
                      small
                      onClick={() => openDialog(<EditConnection instance={instance} connection={connection} />)}
                    >
                      {own ? "Change…" : "Use own credentials…"}
                    </Button>
                    {own && (
                      <AskButton
                        small
                        button="Remove…"
                        title={`Remove the ${title} credentials?`}
                        action="Remove"
                        run={() => control.request("DELETE /instances/:id/connections/:provider", { params })}
                        done={`${title}: own credentials removed`}
                      >
                        Sign-ins through {title} then use the credentials of the server, if it has some. The secret
                        can't be read back: you need it again to undo this.
                      </AskButton>
                    )}
                  </div>
                </li>
              );
            })}
          </ul>
        )}
      </Listed>
    </Panel>
  );
}

/** Sets an instance's credentials for a provider, and the addresses that they are sent to, such as a company's own server. */
export function EditConnection({ instance, connection }: { instance: Instance; connection: Connection }) {
  const { data } = connection;
  const own = instance.data.connections[data.provider];
  const title = providerTitle(data.provider);
  const save: Send = async ({ client_id = "", client_secret = "", ...endpoints }) => {
    const given = Object.entries(endpoints).filter(([, address]) => address);
    await control.request("PUT /instances/:id/connections/:provider", {
      params: { id: instance.id, provider: data.provider },
      body: {
        client_id,
        client_secret,
        ...(given.length > 0 && { endpoints: Object.fromEntries(given) }),
      },
    });
    changed(`${title}: own credentials saved`);
  };
  return (
    <FormDialog title={`Own credentials for ${title}`} action="Save" onSubmit={save}>
      <p class="muted">
        At the provider, register this callback address: <code>{data.callback_url}</code>
      </p>
      <TextField name="client_id" label="Client id" required autocomplete="off" value={own?.client_id} />
      <TextField
        name="client_secret"
        label="Client secret"
        hint="It is kept with the instance and never shown again."
        required
        type="password"
        autocomplete="off"
      />
      <details open={Boolean(own?.endpoints)} data-testid="endpoints">
        <summary>Addresses of the provider</summary>
        <div class="stack">
          <p class="muted">For a server of your own. An empty one is {title}'s. https, or http on this machine.</p>
          {Object.entries(data.endpoints).map(([name, address]) => (
            <TextField
              key={name}
              name={name}
              label={name}
              type="url"
              placeholder={address}
              value={own?.endpoints?.[name]}
            />
          ))}
        </div>
      </details>
    </FormDialog>
  );
}

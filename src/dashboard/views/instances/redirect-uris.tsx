import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { useForm } from "../../ui/use-form.ts";

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

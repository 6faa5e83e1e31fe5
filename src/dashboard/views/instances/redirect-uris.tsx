import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";

/** Where users may be sent back to: a list, with the rule beside it. */
export function RedirectUris({
  uris,
  onSave,
}: {
  uris: readonly string[];
  onSave: (uris: string[]) => Promise<void>;
}): VNode {
  const added = useSignal("");
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    problem.value = undefined;
  }, [uris]);
  const save = async (list: string[]): Promise<void> => {
    try {
      await onSave(list);
      added.value = "";
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
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
                  onClick={() => save(uris.filter((one) => one !== uri))}
                />
              </li>
            ))}
          </ul>
        )}
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            void save([...uris, added.value.trim()]);
          }}
        >
          <div class="grow">
            <Field
              label="Add an address"
              error={problem.value}
              hint="Matched exactly. On loopback any port matches; an entry that ends in ?* takes any query; com.example.app:/callback is an app's own scheme."
            >
              <input
                required
                placeholder="https://app.example.com/callback"
                value={added.value}
                onInput={(event) => void (added.value = event.currentTarget.value)}
              />
            </Field>
          </div>
          <Button type="submit">Add</Button>
        </form>
      </div>
    </Panel>
  );
}

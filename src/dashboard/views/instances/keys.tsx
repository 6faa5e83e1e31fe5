import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import type { Instance } from "../../api/records.ts";
import { Button } from "../../ui/button.tsx";
import { Copy, CopyableValue } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";
import { Facts, Panel } from "../../ui/parts.tsx";

const SHOWN_MS = 30_000;

/** The instance's keys: the secret one is masked until it is revealed, and again after half a minute. */
export function Keys({ instance, onRotate }: { instance: Instance; onRotate: () => void }): VNode {
  const revealed = useSignal<string | undefined>(undefined);
  const rotating = useSignal<"secret_key" | "publishable_key" | undefined>(undefined);
  const params = { id: instance.id };
  const reveal = async (): Promise<string> =>
    (await control.request("POST /instances/:id/reveal", { params })).secret_key;
  const show = async (): Promise<void> => {
    revealed.value = await reveal();
    setTimeout(() => (revealed.value = undefined), SHOWN_MS);
  };
  return (
    <Panel title="Keys">
      <Facts
        rows={[
          [
            "Secret key",
            <>
              <code data-testid="secret-key">{revealed.value ?? "sk_••••••••••••••••"}</code>
              {revealed.value === undefined ? (
                <Button kind="quiet" small icon="eye" label="Reveal the secret key" onClick={show} />
              ) : (
                <Button kind="quiet" small onClick={() => void (revealed.value = undefined)}>
                  Hide
                </Button>
              )}
              <Copy text={reveal} label="Secret key" />
            </>,
          ],
          ["Publishable key", <CopyableValue text={instance.data.publishable_key} label="Publishable key" />],
        ]}
      />
      <div class="actions spaced">
        <Button small kind="danger" onClick={() => void (rotating.value = "secret_key")}>
          Rotate the secret key…
        </Button>
        <Button small kind="danger" onClick={() => void (rotating.value = "publishable_key")}>
          Rotate the publishable key…
        </Button>
      </div>
      {rotating.value && (
        <Confirm
          title={rotating.value === "secret_key" ? "Rotate the secret key?" : "Rotate the publishable key?"}
          action="Rotate"
          onClose={() => void (rotating.value = undefined)}
          onConfirm={async () => {
            const secret = rotating.peek() === "secret_key";
            const body = { secret_key: secret, publishable_key: !secret };
            await control.request("POST /instances/:id/keys/rotate", { params, body });
            revealed.value = undefined;
            notify("good", "The key was replaced");
            onRotate();
          }}
        >
          {rotating.value === "secret_key" ? (
            <p>
              These stop working at once: <strong>every token issued so far</strong>, every server of yours that has the
              old key in <code>SVC_SECRET_KEY</code>, and scripts that verify tokens with it.
            </p>
          ) : (
            <p>
              Clients that look up their address with the old publishable key get 404 until they have the new one.
              Tokens go on working.
            </p>
          )}
        </Confirm>
      )}
    </Panel>
  );
}

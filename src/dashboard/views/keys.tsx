import { useSignal } from "@preact/signals";
import type { BodyOf } from "../../wire/control/types.ts";
import { control, type Instance } from "../api/client.ts";
import { Button, changed } from "../ui/button.tsx";
import { CopyButton, CopyableValue, Time } from "../ui/values.tsx";
import { AskButton } from "../ui/dialog.tsx";
import { Select } from "../ui/field.tsx";
import { Facts, Panel } from "../ui/parts.tsx";

const SHOWN_MS = 30_000;
const KEEP_CHOICES = [
  { value: "0s", text: "End its tokens at once" },
  { value: "1h", text: "Verify its tokens for 1 hour" },
  { value: "24h", text: "Verify its tokens for 24 hours" },
];

/** The instance's keys: the secret one is masked until it is revealed, and again after half a minute. */
export function KeysPanel({ instance }: { instance: Instance }) {
  const revealed = useSignal<string | undefined>(undefined);
  const params = { id: instance.id };
  const [old] = instance.data.old_keys;
  const reveal = async (): Promise<string> =>
    (await control.request("POST /instances/:id/reveal", { params })).secret_key;
  const show = async (): Promise<void> => {
    revealed.value = await reveal();
    setTimeout(() => (revealed.value = undefined), SHOWN_MS);
  };
  const rotate = (body: BodyOf<"POST /instances/:id/keys/rotate">): Promise<unknown> => {
    revealed.value = undefined;
    return control.request("POST /instances/:id/keys/rotate", { params, body });
  };
  const revokeOld = async (): Promise<void> => {
    await control.request("DELETE /instances/:id/keys/old", { params });
    changed("The old secret key was revoked");
  };
  return (
    <Panel title="Keys">
      <div class="stack">
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
                <CopyButton text={reveal} label="Secret key" />
              </>,
            ],
            [
              "Old secret key",
              old && (
                <>
                  verifies until <Time at={old.expires_at} />
                </>
              ),
            ],
            ["Publishable key", <CopyableValue text={instance.data.publishable_key} label="Publishable key" />],
          ]}
        />
        <div class="actions">
          <AskButton
            small
            button="Rotate the secret key…"
            title="Rotate the secret key?"
            action="Rotate"
            more={<Select name="keep_old" label="Old secret key" choices={KEEP_CHOICES} />}
            run={({ keep_old }) => rotate({ secret_key: true, publishable_key: false, keep_old })}
            done="The key was replaced"
          >
            Every server of yours that has the old key in <code>SVC_SECRET_KEY</code> gets 401 until it has the new one.{" "}
            <strong>Every token issued so far</strong> stops verifying, unless you keep the old key for them. Don't keep
            one that somebody else may know.
          </AskButton>
          {old && (
            <Button small onClick={revokeOld}>
              Revoke the old secret key
            </Button>
          )}
          <AskButton
            small
            button="Rotate the publishable key…"
            title="Rotate the publishable key?"
            action="Rotate"
            run={() => rotate({ secret_key: false, publishable_key: true })}
            done="The key was replaced"
          >
            Clients that look up their address with the old publishable key get 404 until they have the new one. Tokens
            go on working.
          </AskButton>
        </div>
      </div>
    </Panel>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { call } from "../../api/client.ts";
import type { Connection } from "../../api/records.ts";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";

/** Gives an instance credentials of its own at a provider. */
export function EditConnection({
  path,
  connection: { data },
  onClose,
  onDone,
}: {
  path: string;
  connection: Connection;
  onClose: () => void;
  onDone: () => void;
}): VNode {
  const clientId = useSignal(data.in_force === "own" ? data.client_id : "");
  const secret = useSignal("");
  const save = async (): Promise<void> => {
    await call("PUT", path, { client_id: clientId.value.trim(), client_secret: secret.value.trim() });
    notify("good", `${data.provider}: own credentials saved`);
    onDone();
  };
  return (
    <FormDialog title={`Own credentials for ${data.provider}`} action="Save" onSubmit={save} onClose={onClose}>
      <p class="muted">
        At the provider, register this callback address: <code>{data.callback_url}</code>
      </p>
      <TextField label="Client id" required autocomplete="off" value={clientId} />
      <TextField
        label="Client secret"
        hint="It is kept with the instance and never shown again."
        required
        type="password"
        autocomplete="off"
        value={secret}
      />
    </FormDialog>
  );
}

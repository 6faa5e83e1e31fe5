import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import { currentInstance, service } from "../../api/service.ts";
import { location } from "../../router.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";
import { instanceChoices } from "../choices.ts";

/** Creates a user who has never signed in. */
export function NewUser({ onClose, onDone }: { onClose: () => void; onDone: () => void }): VNode {
  const name = useSignal("");
  const email = useSignal("");
  const instance = useSignal(currentInstance(location.peek().query["instance"]));
  const isVerified = useSignal(false);
  const create = async (): Promise<void> => {
    const user = await control.request("POST /users", {
      body: {
        instance: instance.value,
        name: name.value,
        email: email.value,
        email_verified_at: isVerified.value ? service.peek().state?.now : null,
      },
    });
    notify("good", `Created ${user.data.email}`);
    onDone();
  };
  return (
    <FormDialog title="New user" action="Create" fields={["name", "email"]} onSubmit={create} onClose={onClose}>
      <TextField name="name" label="Name" required maxLength={256} value={name} />
      <TextField name="email" label="E-mail address" required type="email" value={email} />
      <SelectField label="Instance" value={instance} choices={instanceChoices()} />
      <label class="check">
        <input
          type="checkbox"
          checked={isVerified.value}
          onChange={(event) => void (isVerified.value = event.currentTarget.checked)}
        />
        The address is verified
      </label>
    </FormDialog>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import { refreshState } from "../../api/service.ts";
import { go } from "../../router.ts";
import { TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

/** Creates an instance, and opens it. */
export function NewInstance({ onClose }: { onClose: () => void }): VNode {
  const name = useSignal("");
  const subdomain = useSignal("");
  const create = async (): Promise<void> => {
    const body = { name: name.value, subdomain: subdomain.value };
    const { id } = await control.request("POST /instances", { body });
    await refreshState();
    go(["instances", id]);
  };
  return (
    <FormDialog title="New instance" action="Create" fields={["name", "subdomain"]} onSubmit={create} onClose={onClose}>
      <TextField name="name" label="Name" required maxLength={256} value={name} />
      <TextField
        name="subdomain"
        label="Subdomain"
        hint="Lower-case letters, digits and hyphens. Its address is <subdomain>.localhost."
        required
        value={subdomain}
      />
    </FormDialog>
  );
}

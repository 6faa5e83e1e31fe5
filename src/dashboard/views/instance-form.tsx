import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { BodyOf } from "../../wire/control/types.ts";
import { control, type Instance } from "../api/client.ts";
import { refreshState, preferredInstance } from "../api/service.ts";
import { go, goTo, listAddress } from "../router.ts";
import { CheckField, TextField } from "../ui/field.tsx";
import { FormDialog, Confirm } from "../ui/dialog.tsx";
import { visible } from "../../wire/text/harmless.ts";
import { useLoad } from "../api/use-load.ts";
import { notify } from "../ui/notices.tsx";

const FIELDS = ["name", "subdomain"];

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
    <FormDialog title="New instance" action="Create" fields={FIELDS} onSubmit={create} onClose={onClose}>
      <NameFields name={name} subdomain={subdomain} hint="Its address is <subdomain>.localhost." />
    </FormDialog>
  );
}

/** Changes an instance's name and address. */
export function InstanceForm({
  instance: { data },
  onClose,
  onSave,
}: {
  instance: Instance;
  onClose: () => void;
  onSave: (body: BodyOf<"PATCH /instances/:id">) => Promise<void>;
}): VNode {
  const name = useSignal(data.name);
  const subdomain = useSignal(data.subdomain);
  const preview = useSignal(data.preview);
  const save = (): Promise<void> =>
    onSave({
      name: name.value,
      subdomain: subdomain.value,
      ...(preview.value !== data.preview && { preview: preview.value }),
    });
  return (
    <FormDialog title="Edit instance" action="Save" fields={FIELDS} onSubmit={save} onClose={onClose}>
      <NameFields name={name} subdomain={subdomain} hint="Its address changes with it: tell its applications." />
      <CheckField label="For preview deployments: a redirect URI may have one * in its host" value={preview} />
    </FormDialog>
  );
}

function NameFields({
  name,
  subdomain,
  hint,
}: {
  name: Signal<string>;
  subdomain: Signal<string>;
  hint: string;
}): VNode {
  return (
    <>
      <TextField name="name" label="Name" required maxLength={256} value={name} />
      <TextField
        name="subdomain"
        label="Subdomain"
        hint={`Lower-case letters, digits and hyphens. ${hint}`}
        required
        value={subdomain}
      />
    </>
  );
}

/** Deletes an instance with all that belongs to it, and says how much that is. */
export function DeleteInstance({ instance, onClose }: { instance: Instance; onClose: () => void }): VNode {
  const { id, data } = instance;
  const { data: users } = useLoad(() => control.request("GET /users/count", { query: { instance: id } }), [id]);
  const count = users ? `${users.count.toLocaleString("en")}${users.is_complete ? "" : "+"}` : "its";
  return (
    <Confirm
      title={`Delete ${visible(data.name)}?`}
      action="Delete instance"
      onClose={onClose}
      onConfirm={async () => {
        await control.request("DELETE /instances/:id", { params: { id } });
        if (preferredInstance.peek() === id) preferredInstance.value = undefined;
        await refreshState();
        notify("good", `Deleted ${visible(data.name)}`);
        goTo(listAddress("instances"));
      }}
    >
      <p>
        With{" "}
        <strong>
          {count} {count === "1" ? "user" : "users"}
        </strong>
        , their sessions, its keys and connections. Its application can't sign users in any more, and no token of it
        verifies. This cannot be undone, except by restoring a snapshot.
      </p>
    </Confirm>
  );
}

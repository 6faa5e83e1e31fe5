import { useSignal } from "@preact/signals";
import { control, type User } from "../api/client.ts";
import { currentInstance, service } from "../api/service.ts";
import { location } from "../router.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { changed } from "../ui/button.tsx";
import { instanceChoices } from "./choices.ts";

/** Creates a user who has never signed in, or changes one. */
export function UserForm(props: { user?: User; onClose?: () => void }) {
  const { user, ...dialog } = props;
  const name = useSignal(user?.data.name ?? "");
  const email = useSignal(user?.data.email ?? "");
  const picture = useSignal(user?.data.avatar_url ?? "");
  const instance = useSignal(currentInstance(location.peek().query["instance"]));
  const isVerified = useSignal(user?.data.email_verified ?? false);
  const save = async (): Promise<void> => {
    const verified = user?.data.email_verified_at ?? service.peek().state?.now;
    const body = {
      name: name.value,
      email: email.value,
      email_verified_at: isVerified.value ? verified : null,
      avatar_url: picture.value.trim() || null,
    };
    const saved = user
      ? await control.request("PATCH /users/:id", {
          params: { id: user.id },
          query: { instance: user.data.instance },
          body,
        })
      : await control.request("POST /users", { body: { ...body, instance: instance.value } });
    changed(`${user ? "Saved" : "Created"} ${saved.data.email}`);
  };
  return (
    <FormDialog
      {...dialog}
      title={user ? "Edit user" : "New user"}
      action={user ? "Save" : "Create"}
      fields={["name", "email", "avatar_url"]}
      onSubmit={save}
    >
      <TextField name="name" label="Name" required maxLength={256} value={name} />
      <TextField
        name="email"
        label="E-mail address"
        hint={user && "Accounts at the providers stay linked to this user."}
        required
        type="email"
        value={email}
      />
      {user && (
        <TextField name="avatar_url" label="Picture" hint="The address of an image, or nothing." value={picture} />
      )}
      {!user && <SelectField label="Instance" value={instance} choices={instanceChoices()} />}
      <CheckField label="The address is verified" value={isVerified} />
    </FormDialog>
  );
}

import { control, type User } from "../api/client.ts";
import { currentInstance, service } from "../api/service.ts";
import { location } from "../router.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { CheckField, Select, TextField } from "../ui/field.tsx";
import { changed } from "../ui/button.tsx";
import type { Send } from "../ui/form.tsx";
import { instanceChoices } from "./choices.ts";

/** Creates a user who has never signed in, or changes one. */
export function UserForm(props: { user?: User; onClose?: () => void }) {
  const { user, ...dialog } = props;
  const { instance: wanted } = location.peek().query;
  const save: Send = async ({ name = "", email = "", avatar_url, verified, instance }) => {
    const verifiedAt = user?.data.email_verified_at ?? service.peek().state?.now;
    const body = { name, email, email_verified_at: verified ? verifiedAt : null, avatar_url: avatar_url || null };
    const saved = user
      ? await control.request("PATCH /users/:id", {
          params: { id: user.id },
          query: { instance: user.data.instance },
          body,
        })
      : await control.request("POST /users", { body: { ...body, instance } });
    changed(`${user ? "Saved" : "Created"} ${saved.data.email}`);
  };
  return (
    <FormDialog {...dialog} title={user ? "Edit user" : "New user"} action={user ? "Save" : "Create"} onSubmit={save}>
      <TextField name="name" label="Name" required maxLength={256} value={user?.data.name} />
      <TextField
        name="email"
        label="E-mail address"
        hint={user && "Accounts at the providers stay linked to this user."}
        required
        type="email"
        value={user?.data.email}
      />
      {user && (
        <TextField
          name="avatar_url"
          label="Picture"
          hint="The address of an image, or nothing."
          value={user.data.avatar_url}
        />
      )}
      {!user && <Select name="instance" label="Instance" value={currentInstance(wanted)} choices={instanceChoices()} />}
      <CheckField name="verified" label="The address is verified" checked={user?.data.email_verified ?? false} />
    </FormDialog>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { post } from "../../api/client.ts";
import type { User } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";

/** Makes a user who never signed in. */
export function NewUser({ onClose, onDone }: { onClose: () => void; onDone: () => void }): VNode {
  const name = useSignal("");
  const email = useSignal("");
  const instance = useSignal(service.peek().instances[0]?.id ?? "");
  const isVerified = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const create = async (): Promise<void> => {
    try {
      const user = await post<User>("users", {
        instance: instance.value,
        name: name.value,
        email: email.value,
        ...(isVerified.value && { email_verified_at: service.peek().state?.now ?? new Date().toISOString() }),
      });
      notify("good", `Created ${user.data.email}`);
      onDone();
      onClose();
    } catch (error) {
      problem.value = (error as Error).message;
    }
  };
  return (
    <Dialog title="New user" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label="Name">
          <input
            required
            maxLength={256}
            value={name.value}
            onInput={(event) => void (name.value = event.currentTarget.value)}
          />
        </Field>
        <Field label="E-mail address" error={problem.value}>
          <input
            required
            type="email"
            value={email.value}
            onInput={(event) => void (email.value = event.currentTarget.value)}
          />
        </Field>
        <Select
          label="Instance"
          value={instance.value}
          choices={service.value.instances.map(({ id, data }) => ({ value: id, text: data.name }))}
          onChange={(id) => void (instance.value = id)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isVerified.value}
            onChange={(event) => void (isVerified.value = event.currentTarget.checked)}
          />
          The address is verified
        </label>
        <div class="actions end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import { revokeSessionsOf } from "../../api/sessions.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";
import { forEachSelected, SelectionBar, type Selection } from "../../ui/selection.tsx";

/** What can be done with several users at once. */
export function UserActions({
  selection,
  instance,
  onDone,
}: {
  selection: Selection;
  /** Whose users they are. */
  instance: string;
  onDone: () => void;
}): VNode {
  const asked = useSignal<"delete" | "revoke" | undefined>(undefined);
  const { size } = selection.value;
  const users = size === 1 ? "user" : "users";
  const remove = async (): Promise<void> => {
    try {
      await forEachSelected(selection.peek(), (id) =>
        control.request("DELETE /users/:id", { params: { id }, query: { instance } }),
      );
      notify("good", `${size} ${users} deleted`);
      selection.value = new Set();
    } finally {
      onDone();
    }
  };
  const revoke = async (): Promise<void> => {
    let revoked = 0;
    await forEachSelected(selection.peek(), async (id) => {
      revoked += await revokeSessionsOf(
        await control.request("GET /users/:id", { params: { id }, query: { instance } }),
      );
    });
    notify("good", `${revoked} ${revoked === 1 ? "session" : "sessions"} revoked`);
  };
  return (
    <>
      <SelectionBar selection={selection} noun="users">
        <Button small onClick={() => void (asked.value = "revoke")}>
          Revoke their sessions…
        </Button>
        <Button small kind="danger" testId="delete-selected" onClick={() => void (asked.value = "delete")}>
          Delete…
        </Button>
      </SelectionBar>
      {asked.value === "delete" && (
        <Confirm
          title={`Delete ${size} ${users}?`}
          action={`Delete ${size} ${users}`}
          onClose={() => void (asked.value = undefined)}
          onConfirm={remove}
        >
          <p>
            With all identities and sessions. Their tokens stop verifying. This cannot be undone, except by restoring a
            snapshot.
          </p>
        </Confirm>
      )}
      {asked.value === "revoke" && (
        <Confirm
          title={`Revoke the sessions of ${size} ${users}?`}
          action="Revoke"
          onClose={() => void (asked.value = undefined)}
          onConfirm={revoke}
        >
          <p>Every open session of these users ends. Tokens that were issued go on verifying until they expire.</p>
        </Confirm>
      )}
    </>
  );
}

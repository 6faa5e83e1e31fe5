import type { VNode } from "preact";
import { visible } from "../../../wire/text/harmless.ts";
import { control } from "../../api/client.ts";
import type { Instance } from "../../api/records.ts";
import { preferredInstance, refreshState } from "../../api/service.ts";
import { useLoad } from "../../api/use-load.ts";
import { goTo, listAddress } from "../../router.ts";
import { Confirm } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";

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

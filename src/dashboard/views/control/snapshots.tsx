import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import { useLoad } from "../../api/use-load.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { TextField, useForm } from "../../ui/field.tsx";
import { notify } from "../../ui/notices.tsx";
import { Empty, Panel, Problem } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

/** Snapshots: all records and the clock, by name. */
export function Snapshots({ reloadKey, onRestored }: { reloadKey: unknown; onRestored: () => void }): VNode {
  const { data, error, reload } = useLoad(() => control.request("GET /snapshots"), [reloadKey]);
  const name = useSignal("");
  const restoring = useSignal<string | undefined>(undefined);
  const deleting = useSignal<string | undefined>(undefined);
  const form = useForm(async () => {
    await control.request("POST /snapshots", { body: { name: name.value } });
    notify("good", `Saved ${name.value}`);
    name.value = "";
    reload();
  });
  return (
    <Panel title="Snapshots" flush>
      <form class="row padded" onSubmit={form.onSubmit}>
        <div class="grow">
          <TextField
            label="Save everything as"
            hint="Lower-case letters, digits, dot, underscore, hyphen."
            error={form.problem}
            required
            placeholder="before-import"
            value={name}
          />
        </div>
        <Button type="submit" testId="save-snapshot">
          Save
        </Button>
      </form>
      {error && <Problem error={error} onRetry={reload} />}
      {data?.length === 0 && (
        <Empty icon="copy" title="No snapshots">
          Save one before a test, and come back to it as often as you like.
        </Empty>
      )}
      {data && data.length > 0 && (
        <Table
          label="Snapshots"
          rows={data}
          idOf={({ id }) => id}
          columns={[
            { title: "Name", cell: ({ data: one }) => <code>{one.name}</code> },
            { title: "Saved", cell: ({ data: one }) => <Time at={one.created_at} /> },
            {
              title: "Action",
              align: "end",
              cell: ({ data: one }) => (
                <div class="row">
                  <Button small onClick={() => void (restoring.value = one.name)}>
                    Restore…
                  </Button>
                  <Button small kind="danger" onClick={() => void (deleting.value = one.name)}>
                    Delete…
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {restoring.value !== undefined && (
        <Confirm
          title={`Restore the snapshot ${restoring.value}?`}
          action="Restore"
          onClose={() => void (restoring.value = undefined)}
          onConfirm={async () => {
            await control.request("POST /snapshots/:name/restore", { params: { name: restoring.peek()! } });
            notify("good", `Restored ${restoring.peek()}`);
            onRestored();
          }}
        >
          <p>
            All records and the clock become what they were then. What is there now is kept in a snapshot, the newest
            "previous".
          </p>
        </Confirm>
      )}
      {deleting.value !== undefined && (
        <Confirm
          title={`Delete the snapshot ${deleting.value}?`}
          action="Delete"
          onClose={() => void (deleting.value = undefined)}
          onConfirm={async () => {
            await control.request("DELETE /snapshots/:name", { params: { name: deleting.peek()! } });
            notify("good", `Deleted ${deleting.peek()}`);
            reload();
          }}
        >
          <p>It can't be restored afterwards. The records that are there now stay.</p>
        </Confirm>
      )}
    </Panel>
  );
}

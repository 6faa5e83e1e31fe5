import { control } from "../../api/client.ts";
import { useLoad } from "../../api/use-load.ts";
import { Button, changed } from "../../ui/button.tsx";
import { confirm } from "../../ui/dialog.tsx";
import { TextForm } from "../../ui/form.tsx";
import { Empty } from "../../ui/parts.tsx";
import { TablePanel } from "../../ui/table-panel.tsx";
import { Time } from "../../ui/values.tsx";

/** Snapshots: all records and the clock, by name. */
export function Snapshots() {
  const list = useLoad(() => control.request("GET /snapshots"), []);
  const save = async (name: string): Promise<void> => {
    await control.request("POST /snapshots", { body: { name } });
    changed(`Saved ${name}`);
  };
  const restore = (name: string): void =>
    confirm({
      title: `Restore the snapshot ${name}?`,
      action: "Restore",
      text: 'All records and the clock become what they were then. What is there now is kept in a snapshot, the newest "previous".',
      onSubmit: async () => {
        await control.request("POST /snapshots/:name/restore", { params: { name } });
        changed(`Restored ${name}`);
      },
    });
  const remove = (name: string): void =>
    confirm({
      title: `Delete the snapshot ${name}?`,
      action: "Delete",
      text: "It can't be restored afterwards. The records that are there now stay.",
      onSubmit: async () => {
        await control.request("DELETE /snapshots/:name", { params: { name } });
        changed(`Deleted ${name}`);
      },
    });
  return (
    <TablePanel
      {...list}
      title="Snapshots"
      label="Snapshots"
      empty={
        <Empty icon="copy" title="No snapshots">
          Save one before a test, and come back to it as often as you like.
        </Empty>
      }
      columns={[
        { title: "Name", cell: ({ data: { name } }) => <code>{name}</code> },
        { title: "Saved", cell: ({ data: { created_at } }) => <Time at={created_at} /> },
      ]}
      buttonsOf={({ data: { name } }) => (
        <>
          <Button small onClick={() => restore(name)}>
            Restore…
          </Button>
          <Button small kind="danger" onClick={() => remove(name)}>
            Delete…
          </Button>
        </>
      )}
    >
      <div class="padded">
        <TextForm
          label="Save everything as"
          hint="Lower-case letters, digits, dot, underscore, hyphen."
          placeholder="before-import"
          action="Save"
          testId="save-snapshot"
          onSubmit={save}
        />
      </div>
    </TablePanel>
  );
}

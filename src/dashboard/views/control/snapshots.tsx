import { control } from "../../api/client.ts";
import { useLoad } from "../../api/use-load.ts";
import { changed } from "../../ui/button.tsx";
import { AskButton } from "../../ui/dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { TextForm } from "../../ui/form.tsx";
import { Empty } from "../../ui/parts.tsx";
import { TablePanel } from "../../ui/table.tsx";
import { Time, UserText } from "../../ui/values.tsx";
import { recordChoices } from "../choices.ts";

/** Snapshots: all records and the clock, by name. */
export function SnapshotsPanel() {
  const list = useLoad(() => control.request("GET /snapshots"), []);
  const save = async (name: string): Promise<void> => {
    await control.request("POST /snapshots", { body: { name } });
    changed(`Saved ${name}`);
  };
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
        { title: "Name", cell: ({ data: { name } }) => <UserText text={name} />, isWide: true },
        { title: "Saved", cell: ({ data: { created_at } }) => <Time at={created_at} /> },
      ]}
      buttonsOf={({ data: { name } }) => (
        <>
          <AskButton
            kind="plain"
            small
            button="Restore…"
            title={`Restore the snapshot ${name}?`}
            action="Restore"
            more={<Select name="instance" label="What to restore" value="" choices={recordChoices()} />}
            run={({ instance }) =>
              control.request("POST /snapshots/:name/restore", {
                params: { name },
                body: { instance: instance || undefined },
              })
            }
            done={`Restored ${name}`}
          >
            Everything means all records, keys and the clock. For one instance only its users and sessions come back;
            its keys and settings stay. What is there now is saved as the newest previous snapshot.
          </AskButton>
          <AskButton
            small
            button="Delete…"
            title={`Delete the snapshot ${name}?`}
            action="Delete"
            run={() => control.request("DELETE /snapshots/:name", { params: { name } })}
            done={`Deleted ${name}`}
          >
            It can't be restored afterwards. The records that are there now stay.
          </AskButton>
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

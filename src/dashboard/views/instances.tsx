import type { BodyOf } from "../../wire/control/types.ts";
import { providerTitle } from "../../wire/providers.ts";
import { control, type Instance } from "../api/client.ts";
import { refreshState, service } from "../api/service.ts";
import { go, href, location, refine } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import type { Send } from "../ui/form.tsx";
import { Facts, PageHeading, Panel, Pill } from "../ui/parts.tsx";
import { RowLink, TablePanel, type Column } from "../ui/table.tsx";
import { CopyableValue, UserText } from "../ui/values.tsx";

const COLUMNS: readonly Column<Instance>[] = [
  {
    title: "Name",
    cell: ({ id, data }) => (
      <>
        <RowLink address={href(["instances", id])}>
          <b>
            <UserText text={data.name} />
          </b>
        </RowLink>
        <small>
          <UserText text={data.url} muted />
        </small>
      </>
    ),
    isWide: true,
  },
  { title: "Publishable key", cell: ({ data }) => <code>{data.publishable_key}</code>, isSpare: true },
  { title: "Default provider", cell: ({ data }) => providerTitle(data.default_provider), isSpare: true },
  { title: "State", cell: ({ data }) => <ActivePill isActive={data.active} /> },
];

/** The instances: applications that sign in their users here. */
export function InstancesPage() {
  const { instances, state, problem } = service.value;
  const add = (isOpen: boolean): void => refine({ new: isOpen ? "yes" : undefined });
  return (
    <>
      <PageHeading title="Instances" note="An instance is one application: its keys, its users, its providers.">
        <Button kind="primary" icon="plus" onClick={() => add(true)}>
          New instance
        </Button>
      </PageHeading>
      <TablePanel<Instance>
        label="Instances"
        data={state && instances}
        error={state || problem === undefined ? undefined : new Error(problem)}
        reload={() => refreshState()}
        empty={null}
        columns={COLUMNS}
      />
      <Server />
      {location.value.query["new"] === "yes" && <InstanceForm onClose={() => add(false)} />}
    </>
  );
}

/** Larger numbers of an estimate are one. */
const EXACT = 100_000;

/** What runs here: its address, counts, and who plays the providers. */
function Server() {
  const { state } = service.value;
  if (!state) return null;
  const users = `${state.estimated && state.users > EXACT ? "≈ " : ""}${state.users.toLocaleString("en")}`;
  return (
    <Panel title="Server">
      <Facts
        rows={[
          ["Address of all instances", <CopyableValue text={globalThis.location.origin} label="Address" />],
          ["Store", <code>{state.store}</code>],
          [
            "Users of all instances",
            <a href="#/users" data-testid="count-users">
              {users}
            </a>,
          ],
          ["Sessions", state.sessions.toLocaleString("en")],
          ...Object.entries(state.providers).map(
            ([name, kind]) =>
              [
                providerTitle(name),
                <Pill tone={kind === "real" ? "info" : "plain"}>
                  {kind === "by instance" ? "set per instance" : kind}
                </Pill>,
              ] as const,
          ),
        ]}
      />
    </Panel>
  );
}

export function ActivePill({ isActive }: { isActive: boolean }) {
  return isActive ? <Pill tone="good">active</Pill> : <Pill tone="warn">not active</Pill>;
}

/** Creates an instance and opens it, or changes one's name and address. */
export function InstanceForm(props: {
  instance?: Instance;
  onSave?: (body: BodyOf<"PATCH /instances/:id">) => Promise<void>;
  onClose?: () => void;
}) {
  const { instance, onSave, onClose } = props;
  const save: Send = async ({ name = "", subdomain = "", preview }) => {
    const body = { name, subdomain };
    const isPreview = preview !== undefined;
    if (onSave) return onSave({ ...body, ...(isPreview !== instance?.data.preview && { preview: isPreview }) });
    const { id } = await control.request("POST /instances", { body });
    await refreshState();
    go(["instances", id]);
  };
  return (
    <FormDialog
      title={instance ? "Edit instance" : "New instance"}
      action={instance ? "Save" : "Create"}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField name="name" label="Name" required maxLength={256} value={instance?.data.name} />
      <TextField
        name="subdomain"
        label="Subdomain"
        hint={`Lower-case letters, digits and hyphens. ${instance ? "Its address changes with it: tell its applications." : "Its address is <subdomain>.localhost."}`}
        required
        value={instance?.data.subdomain}
      />
      {instance && (
        <CheckField
          name="preview"
          label="For preview deployments: a redirect URI may have one * in its host"
          checked={instance.data.preview}
        />
      )}
    </FormDialog>
  );
}

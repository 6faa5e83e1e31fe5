import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { PROVIDERS, providerTitle, type Provider } from "../../../wire/providers.ts";
import { control } from "../../api/client.ts";
import type { Persona } from "../../api/records.ts";
import { CheckField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { notify } from "../../ui/notices.tsx";
import { AccountFields, type Account } from "./account-fields.tsx";

/** null: none. `new`: the server makes one. */
type Accounts = Readonly<Record<Provider, Account | "new" | null>>;

/** Adds a persona, or changes one and its accounts at the simulated providers. */
export function PersonaForm({
  persona,
  onClose,
  onDone,
}: {
  persona?: Persona;
  onClose: () => void;
  onDone: () => void;
}): VNode {
  const name = useSignal(persona?.data.name ?? "");
  const email = useSignal(persona?.data.email ?? "");
  const isVerified = useSignal(true);
  const accounts = useSignal(accountsOf(persona));
  const isNew = PROVIDERS.some((provider) => accounts.value[provider] === "new");
  const set = (provider: Provider, account: Account | "new" | null): void => {
    accounts.value = { ...accounts.peek(), [provider]: account };
  };
  const save = async (): Promise<void> => {
    const body = { name: name.value.trim() || null, email: email.value.trim() };
    const made = isNew ? { email_verified: isVerified.value } : {};
    const own = Object.fromEntries(
      Object.entries(accounts.value).filter(([, account]) => account !== "new"),
    ) as Partial<Record<Provider, Account | null>>;
    if (persona)
      await control.request("PATCH /personas/:id", { params: { id: persona.id }, body: { ...body, ...own, ...made } });
    else await create({ ...body, ...made }, accounts.value);
    notify("good", `Saved ${body.email}`);
    onDone();
  };
  return (
    <FormDialog
      title={persona ? "Edit persona" : "New persona"}
      action={persona ? "Save" : "Add"}
      fields={["name", "email"]}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField name="name" label="Name" maxLength={256} value={name} />
      <TextField name="email" label="E-mail address" required value={email} />
      {PROVIDERS.map((provider) => {
        const account = accounts.value[provider];
        const title = providerTitle(provider);
        const before = persona?.data[provider] as Account | undefined;
        return (
          <fieldset key={provider}>
            <label class="check">
              <input
                type="checkbox"
                checked={account !== null}
                onChange={({ currentTarget }) => set(provider, currentTarget.checked ? (before ?? "new") : null)}
              />
              Has an account at {title}
            </label>
            {account !== null && account !== "new" && (
              <AccountFields label={title} account={account} onChange={(changed) => set(provider, changed)} />
            )}
          </fieldset>
        );
      })}
      {isNew && <CheckField label="New accounts have the address verified" value={isVerified} />}
    </FormDialog>
  );
}

function accountsOf(persona: Persona | undefined): Accounts {
  const own = (provider: Provider): Account | null => (persona?.data[provider] as Account | undefined) ?? null;
  return Object.fromEntries(PROVIDERS.map((provider) => [provider, persona ? own(provider) : "new"])) as Accounts;
}

/** The API makes accounts at all providers or none, and then some are removed. */
async function create(
  body: { name: string | null; email: string; email_verified?: boolean },
  accounts: Accounts,
): Promise<void> {
  const { id } = await control.request("POST /personas", { body });
  const unwanted = Object.entries(accounts).filter(([, account]) => account === null);
  if (unwanted.length > 0 && body.email_verified !== undefined)
    await control.request("PATCH /personas/:id", { params: { id }, body: Object.fromEntries(unwanted) });
}

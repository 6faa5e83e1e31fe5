import { useSignal } from "@preact/signals";
import type { InputHTMLAttributes } from "preact";
import { PROVIDERS, providerTitle, type Provider } from "../../../wire/providers.ts";
import { control, type Persona } from "../../api/client.ts";
import { Check, CheckField, Field, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import type { Send } from "../../ui/form.tsx";
import { changed, Button } from "../../ui/button.tsx";

/** null: none. `new`: the server makes one. */
type Accounts = Readonly<Record<Provider, Account | "new" | null>>;

/** Adds a persona, or changes one and its accounts at the simulated providers. */
export function PersonaForm({ persona }: { persona?: Persona }) {
  const accounts = useSignal(accountsOf(persona));
  const isNew = PROVIDERS.some((provider) => accounts.value[provider] === "new");
  const set = (provider: Provider, account: Account | "new" | null): void => {
    accounts.value = { ...accounts.peek(), [provider]: account };
  };
  const save: Send = async ({ name, email = "", verified }) => {
    const body = { name: name || null, email };
    const made = isNew ? { email_verified: verified !== undefined } : {};
    const own = Object.fromEntries(
      Object.entries(accounts.value).filter(([, account]) => account !== "new"),
    ) as Partial<Record<Provider, Account | null>>;
    if (persona)
      await control.request("PATCH /personas/:id", { params: { id: persona.id }, body: { ...body, ...own, ...made } });
    else await create({ ...body, ...made }, accounts.value);
    changed(`Saved ${body.email}`);
  };
  return (
    <FormDialog title={persona ? "Edit persona" : "New persona"} action={persona ? "Save" : "Add"} onSubmit={save}>
      <TextField name="name" label="Name" maxLength={256} value={persona?.data.name} />
      <TextField name="email" label="E-mail address" required value={persona?.data.email} />
      {PROVIDERS.map((provider) => {
        const account = accounts.value[provider];
        const title = providerTitle(provider);
        const before = persona?.data[provider] as Account | undefined;
        return (
          <fieldset key={provider}>
            <Check
              label={`Has an account at ${title}`}
              checked={account !== null}
              onChange={(has) => set(provider, has ? (before ?? "new") : null)}
            />
            {account !== null && account !== "new" && (
              <AccountFields label={title} account={account} onChange={(next) => set(provider, next)} />
            )}
          </fieldset>
        );
      })}
      {isNew && <CheckField name="verified" label="New accounts have the address verified" checked />}
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

type Value = string | number | boolean | readonly Account[];
export type Account = Readonly<Record<string, Value>>;

/** The fields of an account, which has the form of its provider: texts, numbers, boxes, and lists of the same. */
export function AccountFields(props: {
  /** What the fields belong to, for screen readers. */
  label: string;
  account: Account;
  onChange: (account: Account) => void;
}) {
  const { label, account, onChange } = props;
  return (
    <div class="form-grid grow">
      {Object.entries(account).map(([name, value]) => {
        const set = (next: Value): void => onChange({ ...account, [name]: next });
        if (typeof value === "object")
          return <Entries key={name} label={`${label} ${name}`} entries={value} onChange={set} />;
        if (typeof value === "boolean")
          return <Check key={name} label={name} title={`${label} ${name}`} checked={value} onChange={set} />;
        return (
          <Field key={name} label={name}>
            <input
              {...({ type: typeof value === "number" ? "number" : "text" } as InputHTMLAttributes)}
              required
              aria-label={`${label} ${name}`}
              value={String(value)}
              onInput={({ currentTarget }) =>
                set(typeof value === "number" ? Number(currentTarget.value) : currentTarget.value)
              }
            />
          </Field>
        );
      })}
    </div>
  );
}

/** A list of equal objects, such as GitHub's addresses. A new one is like the last. */
function Entries(props: {
  label: string;
  entries: readonly Account[];
  onChange: (entries: readonly Account[]) => void;
}) {
  const { label, entries, onChange } = props;
  return (
    <div class="stack">
      {entries.map((entry, n) => (
        <div key={n} class="row">
          <AccountFields
            label={`${label} ${n + 1}`}
            account={entry}
            onChange={(next) => onChange(entries.with(n, next))}
          />
          {entries.length > 1 && (
            <Button
              kind="quiet"
              small
              icon="cross"
              label={`Remove ${label} ${n + 1}`}
              onClick={() => onChange(entries.toSpliced(n, 1))}
            />
          )}
        </div>
      ))}
      <Button small icon="plus" onClick={() => onChange([...entries, blank(entries.at(-1) ?? {})])}>
        Add to {label}
      </Button>
    </div>
  );
}

function blank(like: Account): Account {
  return Object.fromEntries(
    Object.entries(like).map(([name, value]) => [name, typeof value === "boolean" ? false : ""]),
  );
}

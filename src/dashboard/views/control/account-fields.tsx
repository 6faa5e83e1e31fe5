import type { InputHTMLAttributes, VNode } from "preact";
import { Button } from "../../ui/button.tsx";

type Value = string | number | boolean | readonly Account[];
export type Account = Readonly<Record<string, Value>>;

/** The fields of an account, which has the form of its provider: texts, numbers, boxes, and lists of the same. */
export function AccountFields({
  label,
  account,
  onChange,
}: {
  /** What the fields belong to, for screen readers. */
  label: string;
  account: Account;
  onChange: (account: Account) => void;
}): VNode {
  return (
    <div class="account-fields">
      {Object.entries(account).map(([name, value]) => {
        const set = (next: Value): void => onChange({ ...account, [name]: next });
        if (typeof value === "object")
          return <Entries key={name} label={`${label} ${name}`} entries={value} onChange={set} />;
        if (typeof value === "boolean")
          return (
            <label key={name} class="check">
              <input
                type="checkbox"
                checked={value}
                aria-label={`${label} ${name}`}
                onChange={({ currentTarget }) => set(currentTarget.checked)}
              />
              {name}
            </label>
          );
        return (
          <label key={name} class="account-field">
            <span class="muted">{name}</span>
            <input
              {...({ type: typeof value === "number" ? "number" : "text" } as InputHTMLAttributes)}
              required
              aria-label={`${label} ${name}`}
              value={String(value)}
              onInput={({ currentTarget }) =>
                set(typeof value === "number" ? Number(currentTarget.value) : currentTarget.value)
              }
            />
          </label>
        );
      })}
    </div>
  );
}

/** A list of equal objects, such as GitHub's addresses. A new one is like the last. */
function Entries({
  label,
  entries,
  onChange,
}: {
  label: string;
  entries: readonly Account[];
  onChange: (entries: readonly Account[]) => void;
}): VNode {
  return (
    <div class="account-entries">
      {entries.map((entry, n) => (
        <div key={n} class="row">
          <AccountFields
            label={`${label} ${n + 1}`}
            account={entry}
            onChange={(changed) => onChange(entries.with(n, changed))}
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

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { chooseInstance, preferredInstance } from "../api/service.ts";
import { location, refine } from "../router.ts";
import { Button } from "./button.tsx";
import { Select, type Choice } from "./field.tsx";
import type { LiveList } from "./live-list.ts";
import { Listed, Panel } from "./parts.tsx";
import { counted } from "./text.ts";

export interface ShownFilter {
  /** Its parameter in the address and in the request. */
  readonly name: string;
  readonly label: string;
  /** The choices. Without them it is a text field. */
  readonly choices?: readonly Choice[];
}

const PAUSE_MS = 250;

/**
 * Filters the list of a view. The filters are part of the address, so that a link shows the same list. In a narrow window all
 * but the first are behind a button.
 */
export function FilterBar({ filters }: { filters: readonly ShownFilter[] }) {
  const isOpen = useSignal(false);
  const query = chosen(filters);
  const names = filters.map(({ name }) => name).filter((name) => query[name]);
  const change = (name: string, value: string): void => {
    if (name === "instance") chooseInstance(value);
    refine({ [name]: value });
  };
  const clear = (): void => {
    chooseInstance("");
    refine(Object.fromEntries(names.map((name) => [name, undefined])));
  };
  return (
    <div class={isOpen.value ? "filters bar open" : "filters bar"}>
      {filters.map(({ name, label, choices }) =>
        choices ? (
          <Select
            key={name}
            inline
            label={label}
            value={query[name] ?? ""}
            choices={choices}
            onChange={(value) => change(name, value)}
          />
        ) : (
          <TextFilter
            key={name}
            name={name}
            label={label}
            value={query[name] ?? ""}
            onChange={(value) => change(name, value)}
          />
        ),
      )}
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen.value}
        onClick={() => void (isOpen.value = !isOpen.value)}
      >
        {names.length === 0 ? "Filters" : `Filters (${names.length})`}
      </button>
      {names.length > 0 && (
        <Button kind="quiet" onClick={clear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** Applies the text shortly after typing stops, and at once on Enter. */
export function TextFilter(props: {
  name: string;
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { name, label, placeholder = label, value, onChange } = props;
  const text = useSignal(value);
  const apply = (): void => {
    if (text.peek().trim() !== value) onChange(text.peek().trim());
  };
  useLayoutEffect(() => {
    if (text.peek().trim() !== value) text.value = value;
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(apply, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text.value]);
  return (
    <input
      class="filter-text"
      type="search"
      data-testid={`filter-${name}`}
      aria-label={label}
      placeholder={placeholder}
      spellcheck={false}
      value={text.value}
      onInput={(event) => void (text.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply();
      }}
    />
  );
}

export function chosen(filters: readonly ShownFilter[]): Readonly<Record<string, string | undefined>> {
  const { query } = location.value;
  const all = { ...query, instance: query["instance"] || preferredInstance.value };
  return Object.fromEntries(filters.map(({ name }) => [name, all[name as "instance"] || undefined]));
}

/** A live list: a notice of new rows, its table, and a button for older rows. */
export function LivePanel<Row>(props: {
  list: LiveList<Row>;
  /** The name of a row, in the singular. */
  noun: string;
  empty: ComponentChildren;
  children: (rows: readonly Row[]) => ComponentChildren;
}) {
  const { list, noun, empty, children } = props;
  const { rows, waiting, showOlder } = list;
  // At the last page its button has the focus.
  const hasPages = useRef(false);
  hasPages.current ||= showOlder !== undefined;
  return (
    <div>
      {/* It takes no space, so that nothing moves. */}
      <div class="waiting" role="status">
        {waiting > 0 && (
          <Button kind="primary" testId="resume" onClick={list.resume}>
            {counted(waiting, `new ${noun}`)}, resume
          </Button>
        )}
      </div>
      <Panel flush>
        <Listed data={rows} error={list.error} reload={list.reload} lines={8} empty={empty}>
          {children}
        </Listed>
        {rows && rows.length > 0 && (
          <nav class="pages" aria-label="Pages">
            <span class="muted" data-testid="page-info">
              {counted(rows.length, noun)}, the newest first
            </span>
            {hasPages.current && (
              <Button small disabled={!showOlder} testId="show-older" onClick={() => showOlder?.()}>
                Show older
              </Button>
            )}
          </nav>
        )}
      </Panel>
    </div>
  );
}

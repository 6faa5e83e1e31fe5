import { signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { service } from "../api/service.ts";
import { isUuid } from "../../wire/names.ts";
import { goTo, href } from "../router.ts";
import { Dialog } from "../ui/dialog.tsx";
import { VIEWS } from "./views.ts";
import { UserText } from "../ui/user-text.tsx";

const isOpen = signal(false);
const MOST = 12;
/** The keys that open it, with their names on this system. */
export const PALETTE_KEYS = navigator.userAgent.includes("Mac") ? "⌘K" : "Ctrl K";

interface Command {
  readonly name: string;
  readonly hint: string;
  readonly address: string;
}

export function openPalette(): void {
  isOpen.value = true;
}

/** Opens anything by a part of its name. */
export function Palette(): VNode | null {
  return isOpen.value ? <OpenPalette onClose={() => void (isOpen.value = false)} /> : null;
}

function OpenPalette({ onClose }: { onClose: () => void }): VNode {
  const text = useSignal("");
  const chosen = useSignal(0);
  const found = commands(text.value);
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => list.current?.children[chosen.value]?.scrollIntoView({ block: "nearest" }), [chosen.value]);
  const open = ({ address }: Command): void => {
    onClose();
    goTo(address);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      chosen.value = (chosen.value + step + found.length) % Math.max(1, found.length);
    } else if (event.key === "Enter" && found[chosen.value]) {
      event.preventDefault();
      open(found[chosen.value]!);
    }
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="stack">
        <input
          type="text"
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length > 0 ? `palette-${chosen.value}` : undefined}
          placeholder="A view, an instance, or a user's name, id or e-mail"
          autocomplete="off"
          data-testid="palette"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={onKeyDown}
        />
        <ul ref={list} id="palette-list" role="listbox" aria-label="Results" class="palette-list">
          {found.map((command, n) => (
            <li
              key={command.address + command.name}
              id={`palette-${n}`}
              role="option"
              aria-selected={n === chosen.value}
              onClick={() => open(command)}
              onMouseMove={() => void (chosen.value = n)}
            >
              <UserText text={command.name} />
              <span class="muted">{command.hint}</span>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p class="muted">Nothing has this name.</p>}
      </div>
    </Dialog>
  );
}

function commands(text: string): Command[] {
  const typed = text.trim().toLowerCase();
  const all: Command[] = [
    ...VIEWS.map(({ title, path }) => ({ name: title, hint: "view", address: href([path]) })),
    ...service.value.instances.map(({ id, data }) => ({
      name: data.name,
      hint: "instance",
      address: href(["instances", id]),
    })),
    { name: "Move the clock", hint: "action", address: href(["control"], { section: "clock" }) },
    { name: "Set up a scenario", hint: "action", address: href(["control"], { section: "scenarios" }) },
    { name: "Save a snapshot", hint: "action", address: href(["control"], { section: "data" }) },
    { name: "Verify a token", hint: "action", address: href(["try-it"], { section: "token" }) },
  ];
  const found = all.filter(({ name, hint }) => `${name} ${hint}`.toLowerCase().includes(typed));
  if (isUuid(typed)) found.unshift({ name: typed, hint: "user", address: href(["users", typed]) });
  else if (typed.includes("@") && !typed.includes(" "))
    found.unshift({ name: typed, hint: "search users", address: href(["users"], { query: `email:${typed}` }) });
  else if (/^[\p{L}\p{N}._+-]+$/u.test(typed))
    found.push({ name: text.trim(), hint: "search users", address: href(["users"], { query: `name:*${typed}*` }) });
  return found.slice(0, MOST);
}

import { signal, useSignal } from "@preact/signals";
import fuzzysort from "fuzzysort";
import { useLayoutEffect, useRef } from "preact/hooks";
import { control, type User } from "../api/client.ts";
import { currentInstance } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { Dialog } from "../ui/dialog.tsx";
import { notify } from "../ui/button.tsx";
import { UserText } from "../ui/values.tsx";
import { advanceCommand, fixedCommands, searchCommand, userCommands, userSearch, type Command } from "./commands.tsx";

const isOpen = signal(false);
/** What is done with a user whose name follows. */
const VERB = /^revoke\s+(?:all\s+sessions\s+of\s+)?/i;
const MOST_USERS = 5;
const PAUSE_MS = 120;
/** Of 1: below it, the letters are there, but far from each other. */
const MIN_SCORE = 0.2;
/** The keys that open it, with their names on this system. */
export const PALETTE_KEYS = navigator.userAgent.includes("Mac") ? "⌘K" : "Ctrl K";

export function openPalette(): void {
  isOpen.value = true;
}

/** Finds anything by a part of its name, and opens it or does it. */
export function Palette() {
  return isOpen.value ? <OpenPalette onClose={() => void (isOpen.value = false)} /> : null;
}

function OpenPalette({ onClose }: { onClose: () => void }) {
  const text = useSignal("");
  const chosen = useSignal(0);
  const users = useUsers(text.value.trim().replace(VERB, ""));
  const found = commands(text.value.trim(), users);
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => list.current?.children[chosen.value]?.scrollIntoView({ block: "nearest" }), [chosen.value]);
  const run = async (command: Command): Promise<void> => {
    onClose();
    try {
      await command.run();
    } catch (error) {
      notify("bad", (error as Error).message);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      chosen.value = (chosen.value + step + found.length) % Math.max(1, found.length);
    } else if (event.key === "Enter" && found[chosen.value]) {
      event.preventDefault();
      void run(found[chosen.value]!);
    }
  };
  return (
    <Dialog title="Go to" onClose={onClose} isHigh>
      <div class="stack">
        <input
          type="text"
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.length > 0 ? `palette-${chosen.value}` : undefined}
          placeholder="A view, an action, an instance, or a user's name or e-mail"
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
              key={n}
              id={`palette-${n}`}
              role="option"
              aria-selected={n === chosen.value}
              onClick={() => void run(command)}
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

/** The users whose name or address contains the text, shortly after typing stops. */
function useUsers(text: string): readonly User[] {
  const latest = useRef(text);
  latest.current = text;
  // Without users the palette still has everything else.
  const { data = [] } = useLoad(async () => {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const asked = text === latest.current && userSearch(text);
    const query = { ...asked, instance: currentInstance() || undefined, limit: MOST_USERS };
    return asked ? control.request("GET /users", { query }) : [];
  }, [text]);
  return data;
}

function commands(text: string, users: readonly User[]): Command[] {
  const fixed = fixedCommands();
  if (text === "") return fixed;
  const all = [...fixed, ...userCommands(users)];
  const found = fuzzysort.go(text, all, { keys: ["name", "keywords"], threshold: MIN_SCORE }).map(({ obj }) => obj);
  return [advanceCommand(text), ...found, searchCommand(text)].filter((command) => command !== undefined);
}

import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Fields } from "../../wire/search/fields.ts";
import { parseQuery, printTerm, QueryError } from "../../wire/search/query.ts";
import { asSentence, hintFor, inWords } from "../../wire/search/query-words.ts";
import { complete, nameIn, type Suggestion } from "./text.ts";
import { Icon } from "./button.tsx";

export interface QueryInputProps {
  readonly noun: "users" | "sessions";
  readonly fields: Fields;
  /** The known values of a field. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly value: string;
  /** Called with a valid search shortly after typing stops, and at once on Enter. */
  readonly onSearch: (query: string) => void;
}

const PAUSE_MS = 250;

/** An input for the search language. It completes fields and values, and describes the search in words. */
export function QueryInput({ noun, fields, values, value, onSearch }: QueryInputProps) {
  const text = useSignal(value);
  const suggestions = useSignal<readonly Suggestion[]>([]);
  const chosen = useSignal(-1);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  useLayoutEffect(() => {
    if (document.activeElement !== input.current) text.value = value;
  }, [value]);
  const { words, problem } = explain(text.value, fields, noun);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (problem === undefined && text.value.trim() !== value) onSearch(text.value.trim());
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text.value, problem]);

  const suggest = (): void => {
    const at = input.current?.selectionStart ?? text.value.length;
    suggestions.value = complete(text.value, at, fields, values);
    chosen.value = -1;
  };
  const accept = (suggestion: Suggestion): void => {
    text.value = suggestion.text;
    const box = input.current!;
    // At once, for someone who continues to type.
    box.value = suggestion.text;
    box.focus();
    box.setSelectionRange(suggestion.cursor, suggestion.cursor);
    suggest();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const list = suggestions.value;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && list.length > 0) {
      event.preventDefault();
      chosen.value = (chosen.value + step + list.length + (chosen.value < 0 && step < 0 ? 1 : 0)) % list.length;
    } else if (event.key === "Escape" && list.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      suggestions.value = [];
    } else if ((event.key === "Enter" || event.key === "Tab") && list[chosen.value]) {
      event.preventDefault();
      accept(list[chosen.value]!);
    } else if (event.key === "Enter" && problem !== undefined) {
      const meant = list.find(({ isTerm }) => isTerm);
      if (meant) accept(meant);
    } else if (event.key === "Enter") {
      suggestions.value = [];
      onSearch(text.value.trim());
    }
  };
  const shown = suggestions.value;
  const advice = problem === undefined ? undefined : nextStep(text.value, shown);
  const message = advice === undefined ? problem : undefined;
  return (
    <div class="query">
      <div class="query-box">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          data-search
          data-testid="query"
          aria-label={`Search ${noun}`}
          aria-expanded={shown.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-invalid={message !== undefined}
          aria-describedby={`${listId}-words`}
          aria-activedescendant={chosen.value < 0 ? undefined : `${listId}-${chosen.value}`}
          placeholder={`Search ${noun}: email:*@acme.com created_at>=2026-01-01`}
          autocomplete="off"
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            suggest();
          }}
          onFocus={suggest}
          onBlur={() => setTimeout(() => (suggestions.value = []), 120)}
          onKeyDown={onKeyDown}
        />
        <ul
          id={listId}
          role="listbox"
          aria-label="Suggestions"
          class={shown.length > 0 ? "suggestions" : "suggestions closed"}
        >
          {shown.map((suggestion, n) => (
            <li
              key={suggestion.label}
              id={`${listId}-${n}`}
              role="option"
              aria-selected={n === chosen.value}
              onMouseDown={(event) => {
                event.preventDefault();
                accept(suggestion);
              }}
            >
              <code>{suggestion.label}</code>
              <span class="muted">{suggestion.hint}</span>
            </li>
          ))}
        </ul>
      </div>
      <p
        id={`${listId}-words`}
        class={message === undefined ? "query-words muted" : "query-words bad-text"}
        role="status"
        data-testid="query-words"
      >
        {message ?? advice ?? words}
      </p>
    </div>
  );
}

/** What to do with a search that is not complete yet. Undefined if it is wrong. */
function nextStep(text: string, shown: readonly Suggestion[]): string | undefined {
  const meant = shown.find(({ isTerm }) => isTerm);
  if (meant) return `Enter searches for ${meant.label}`;
  if (shown.length > 0) return "Arrow keys and Enter choose";
  return /[a-z_](?::|[<>]=?)$/.test(text) ? "Type the value" : undefined;
}

function allOf(words: readonly string[]): string {
  return new Intl.ListFormat("en").format(words.map((word) => `"${word}"`));
}

/** What a search finds, or what is wrong with it. */
export function explain(text: string, fields: Fields, noun: string): { words: string; problem?: string } {
  if (text.trim() === "") return { words: `All ${noun}, ${noun === "users" ? "newest" : "the latest sign-in"} first.` };
  const name = nameIn(text);
  if (name !== undefined) return { words: `Shows ${noun} whose name contains ${allOf(name.split(" "))}.` };
  try {
    return { words: `Shows ${inWords(parseQuery(text.trim(), fields), noun)}.` };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const problem = [asSentence(error.message), hintFor(error, fields, printTerm)].filter(Boolean).join(" ");
    return { words: "", problem };
  }
}

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export function Tabs<Name extends string>(props: {
  label: string;
  titles: Readonly<Record<Name, string>>;
  chosen: Name;
  onChoose: (name: Name) => void;
  children: ComponentChildren;
}) {
  const { label, titles, chosen, onChoose, children } = props;
  const id = useId();
  // WAI-ARIA Authoring Practices, "Tabs": the arrow keys choose, and Tab goes on to the panel.
  const onKeyDown = (event: KeyboardEvent): void => {
    const names = Object.keys(titles) as Name[];
    const at = names.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const name = names.at(to % names.length)!;
    onChoose(name);
    document.getElementById(`${id}-${name}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {Object.entries<string>(titles).map(([name, title]) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            aria-controls={id}
            onClick={() => onChoose(name as Name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id={id} role="tabpanel" aria-labelledby={`${id}-${chosen}`} class="stack">
        {children}
      </div>
    </>
  );
}

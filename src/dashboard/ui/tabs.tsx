import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

/** Several panels, of which one is shown. */
export function Tabs<Name extends string>({
  label,
  titles,
  chosen,
  onChoose,
  children,
}: {
  label: string;
  titles: Readonly<Record<Name, string>>;
  chosen: Name;
  onChoose: (name: Name) => void;
  /** The panel that was chosen. */
  children: ComponentChildren;
}): VNode {
  const id = useId();
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label}>
        {Object.entries<string>(titles).map(([name, title]) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
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

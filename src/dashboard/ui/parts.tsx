import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon, Button, type IconName } from "./button.tsx";

export type Tone = "good" | "bad" | "warn" | "info" | "gone" | "plain";

export function Pill({ tone = "plain", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`pill ${tone}`}>{children}</span>;
}

export function Panel(props: {
  title?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** Whether the content reaches the edges, as tables do. */
  flush?: boolean;
  testId?: string;
}) {
  const { title, actions, children, flush, testId } = props;
  return (
    <section class={`panel${flush ? " flush" : ""}`} data-testid={testId}>
      {(title || actions) && (
        <header class="panel-header">
          {title && <h2>{title}</h2>}
          {actions && <div class="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** The header of a view. Its text is the title of the page, in tabs and in the browser's history. */
export function PageHeading(props: {
  title: ComponentChildren;
  /** Beside the title, but not part of it. */
  picture?: ComponentChildren;
  /** The address of the list that this record is in. */
  back?: string;
  children?: ComponentChildren;
  note?: ComponentChildren;
}) {
  const { title, picture, back, children, note } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${heading.current!.textContent} · svc`;
  });
  return (
    <div class="heading">
      {back && (
        <a class="button quiet square" href={back} aria-label="Back to the list" title="Back to the list">
          <Icon name="back" />
        </a>
      )}
      {picture}
      <div class="heading-text">
        <h1 ref={heading}>{title}</h1>
        {note && <p class="muted">{note}</p>}
      </div>
      <div class="actions">{children}</div>
    </div>
  );
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty" role="status" data-testid="empty">
      <Icon name={icon} />
      <strong>{title}</strong>
      <div class="muted">{children}</div>
    </div>
  );
}

/** What went wrong, where it went wrong, and a way on. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: (() => unknown) | undefined }) {
  return (
    <div class="problem" role="alert" data-testid="problem">
      <Icon name="warning" />
      <span>{error.message}</span>
      {onRetry && (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A list: its rows or that it has none; before it is loaded, grey lines. An error is above it. */
export function Listed<Row>(props: {
  data: readonly Row[] | undefined;
  error?: Error | undefined;
  reload?: () => unknown;
  lines?: number;
  empty: ComponentChildren;
  children: (rows: readonly Row[]) => ComponentChildren;
}) {
  const { data, error, reload, lines = 3, empty, children } = props;
  return (
    <>
      {error && <Problem error={error} onRetry={reload} />}
      {!data && !error && <Placeholder lines={lines} />}
      {data && (data.length === 0 ? empty : children(data))}
    </>
  );
}

/** Replaces a record that is being loaded or can't be shown. */
export function Unloaded(props: { title: string; back: string; error: Error | undefined; onRetry: () => void }) {
  const { title, back, error, onRetry } = props;
  if (!error) return <Placeholder lines={8} />;
  return (
    <>
      <PageHeading title={title} back={back} />
      <Problem error={error} onRetry={onRetry} />
    </>
  );
}

/** Names with their values; one without a value is left out. */
export function Facts({ rows }: { rows: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value)
        .map(([name, value], n) => (
          <div key={n}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Grey lines while content is loading, as high as the content, so that nothing moves. */
export function Placeholder({ lines = 3 }: { lines?: number }) {
  return (
    <div class="placeholder" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

import { Component, type ComponentChildren, type VNode } from "preact";
import { Problem } from "../ui/parts.tsx";

/** Keeps an error in one view from breaking the rest of the page. */
export class ViewBoundary extends Component<{ children: ComponentChildren }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static override getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): VNode {
    const { error } = this.state;
    if (!error) return <>{this.props.children}</>;
    return (
      <div class="stack">
        <Problem
          error={new Error(`This view failed: ${error.message}`)}
          onRetry={() => this.setState({ error: undefined })}
        />
        <a href="#/overview">Go to the overview</a>
      </div>
    );
  }
}

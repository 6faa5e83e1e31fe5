import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { rememberAddress, signedOutReason } from "../api/session.ts";
import { CopyableCode } from "../ui/copy.tsx";
import { Panel } from "../ui/parts.tsx";

/** For a browser without a key: how to sign in. */
export function Gate(): VNode {
  useEffect(rememberAddress, []);
  return (
    <main class="gate">
      <Panel testId="gate">
        <div class="stack">
          <div class="row">
            <span class="brand-mark" aria-hidden="true">
              s
            </span>
            <h1>Open the dashboard</h1>
          </div>
          {signedOutReason.value && (
            <p class="bad-text" role="alert" data-testid="link-problem">
              {signedOutReason.value}
            </p>
          )}
          <p class="muted">
            The dashboard can read and change everything on this server, so a browser gets in by a one-time link. In the
            directory of the running server, type:
          </p>
          <CopyableCode text="npx svc-identity open dashboard" label="Command" />
        </div>
      </Panel>
    </main>
  );
}

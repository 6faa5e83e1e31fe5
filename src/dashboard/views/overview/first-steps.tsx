import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { service } from "../../api/service.ts";
import { Copy } from "../../ui/button.tsx";
import { Code, Panel } from "../../ui/parts.tsx";
import { SNIPPETS } from "./snippets.ts";

/** For a first visit: three steps to a working sign-in, keys filled in. */
export function FirstSteps(): VNode | null {
  const language = useSignal<keyof typeof SNIPPETS>("Express");
  const instance = service.value.instances[0];
  if (!instance) return null;
  const { env, code } = SNIPPETS[language.value](location.origin, instance.data.publishable_key);
  return (
    <Panel title="Your first sign-in, in three steps" testId="first-steps">
      <ol class="steps">
        <li>
          <h3>Give your application the keys</h3>
          <div class="with-copy">
            <Code>{env}</Code>
            <Copy text={env} label="Command" />
          </div>
        </li>
        <li>
          <h3>Send the browser to sign in, and verify the token</h3>
          <div class="tabs" role="tablist" aria-label="Language">
            {Object.keys(SNIPPETS).map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                aria-selected={name === language.value}
                onClick={() => void (language.value = name as keyof typeof SNIPPETS)}
              >
                {name}
              </button>
            ))}
          </div>
          <div class="with-copy" role="tabpanel" aria-label={language.value}>
            <Code>{code}</Code>
            <Copy text={code} label="Code" />
          </div>
        </li>
        <li>
          <h3>Sign in</h3>
          <p class="muted">
            Open your application, or{" "}
            <a class="inline-link" href="#/try-it">
              try a sign-in here
            </a>
            . Every step of it shows up under Flows.
          </p>
        </li>
      </ol>
    </Panel>
  );
}

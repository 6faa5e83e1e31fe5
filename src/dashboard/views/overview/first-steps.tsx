import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { service } from "../../api/service.ts";
import { CopyableCode } from "../../ui/copy.tsx";
import { Panel } from "../../ui/parts.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { SNIPPETS, type Snippet } from "./snippets.ts";

type Language = keyof typeof SNIPPETS;
const LANGUAGES = Object.fromEntries(Object.keys(SNIPPETS).map((name) => [name, name])) as Record<Language, string>;

/** For a first visit: three steps to a working sign-in, keys filled in. */
export function FirstSteps(): VNode | null {
  const language = useSignal<Language>("Express");
  const instance = service.value.instances[0];
  if (!instance) return null;
  const { env, code, start }: Snippet = SNIPPETS[language.value](location.origin, instance.data.publishable_key);
  return (
    <Panel title="Your first sign-in, in three steps" testId="first-steps">
      <ol class="steps">
        <li>
          <h3>Give your application the keys</h3>
          <p class="muted">In a second terminal, in the directory of this server, where svc-identity is installed:</p>
          <CopyableCode text={env} label="Command" />
        </li>
        <li>
          <h3>{start ? "Send the browser to sign in, and verify the token" : "Get a token, and verify it"}</h3>
          <Tabs
            label="Language"
            titles={LANGUAGES}
            chosen={language.value}
            onChoose={(name) => void (language.value = name)}
          >
            <CopyableCode text={code} label="Code" />
          </Tabs>
        </li>
        <li>
          <h3>Sign in</h3>
          {start && <CopyableCode text={start.command} label="Start command" />}
          <p class="muted">
            {start && (
              <>
                Open <code>{start.address}</code>, or{" "}
              </>
            )}
            <a class="inline-link" href="#/try-it">
              {start ? "try" : "Try"} a sign-in here
            </a>
            . Every step of it shows up under Flows.
          </p>
        </li>
      </ol>
    </Panel>
  );
}

import { signal, useSignal } from "@preact/signals";
import { providerTitle } from "../../wire/providers.ts";
import { control, type Instance, type SignIn } from "../api/client.ts";
import { service, runSignIn } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { href } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { CopyableCode, UserText } from "../ui/values.tsx";
import { Panel } from "../ui/parts.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Claims } from "./token.tsx";
import { SNIPPETS, type Snippet } from "./snippets.ts";

type Language = keyof typeof SNIPPETS;
const LANGUAGES = Object.fromEntries(Object.keys(SNIPPETS).map((name) => [name, name])) as Record<Language, string>;
const STORAGE_KEY = "svc_dashboard_first_steps";
const isDismissed = signal(localStorage.getItem(STORAGE_KEY) === "dismissed");

function dismiss(): void {
  localStorage.setItem(STORAGE_KEY, "dismissed");
  isDismissed.value = true;
}

/** For a first visit: a sign-in by one button and what it did, then the code for an application. */
export function FirstSteps() {
  const result = useSignal<SignIn | undefined>(undefined);
  const instance = service.value.instances[0];
  if (!instance || isDismissed.value) return null;
  return (
    <Panel
      title="Your first sign-in"
      testId="first-steps"
      actions={
        <Button small kind="quiet" testId="dismiss" onClick={dismiss}>
          Don't show this again
        </Button>
      }
    >
      <div class="stack">
        <p>
          This server plays the providers itself. A sign-in needs no account, no application and no network: run one,
          and see what it does.
        </p>
        <div class="actions">
          <Button
            kind={result.value ? "plain" : "primary"}
            icon="try-it"
            testId="first-sign-in"
            onClick={async () => void (result.value = await runSignIn())}
          >
            {result.value ? "Run another sign-in" : "Run a sign-in"}
          </Button>
          <a class="button" href="#/try-it">
            Choose how it goes
          </a>
        </div>
        {result.value && <WhatItDid result={result.value} />}
        <details>
          <summary>Add it to your application</summary>
          <Code instance={instance} />
        </details>
      </div>
    </Panel>
  );
}

function WhatItDid({ result: { flow_id, user_id, token, error } }: { result: SignIn }) {
  const { data: flow } = useLoad(async () => control.request("GET /flows/:id", { params: { id: flow_id } }), [flow_id]);
  const { provider = null, as = null } = flow && "resource" in flow ? flow.data : {};
  return (
    <ol class="steps" data-testid="what-it-did">
      <li>
        <h3>{providerTitle(provider ?? "the provider")} said who signs in</h3>
        <p class="muted">
          The simulated provider sent back the account <UserText text={as ?? "…"} />. In a browser, you choose it.{" "}
          <a href={href(["flows", flow_id])}>See every step</a>
        </p>
      </li>
      {error === undefined ? (
        <>
          <li>
            <h3>svc found or created the user</h3>
            <p class="muted">
              With a session. <a href={href(["users", user_id ?? ""])}>Open the user</a>
            </p>
          </li>
          <li>
            <h3>Your application gets a token, and verifies it</h3>
            {token && <Claims token={token} />}
          </li>
        </>
      ) : (
        <li>
          <h3>It was refused: {error}</h3>
          <p class="muted">The last step says why.</p>
        </li>
      )}
    </ol>
  );
}

function Code({ instance }: { instance: Instance }) {
  const language = useSignal<Language>("Express");
  const { env, code, start }: Snippet = SNIPPETS[language.value](location.origin, instance.data.publishable_key);
  return (
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
      {start && (
        <li>
          <h3>Sign in</h3>
          <CopyableCode text={start.command} label="Start command" />
          <p class="muted">
            Open <code>{start.address}</code>. Every step of the sign-in shows up under Flows.
          </p>
        </li>
      )}
    </ol>
  );
}

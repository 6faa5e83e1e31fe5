import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { visible } from "../../../wire/visible.ts";
import { get, post } from "../../api/client.ts";
import type { Persona, SignIn } from "../../api/records.ts";
import { service } from "../../api/service.ts";
import { useLoad } from "../../api/use-load.ts";
import { href } from "../../router.ts";
import { Button, Copy } from "../../ui/button.tsx";
import { choicesOf, Select } from "../../ui/field.tsx";
import { Code, Facts, Panel, Pill } from "../../ui/parts.tsx";
import { instanceChoices } from "../instances/instance-choices.ts";
import { Claims } from "./claims.tsx";
import { signInInWindow, windowTarget } from "./sign-in-window.ts";

/** A whole sign-in: at once, or in a window where the account is chosen by hand. */
export function TrySignIn(): VNode {
  const { providers, instances, outcomes } = service.value;
  const personas = useLoad(() => get<Persona[]>("personas", { limit: 200 }), []);
  const provider = useSignal("");
  const instance = useSignal("");
  const account = useSignal("");
  const outcome = useSignal("success");
  const result = useSignal<SignIn | undefined>(undefined);
  const at = provider.value || (providers[0] ?? "");
  const instanceId = instance.value || (instances[0]?.id ?? "");
  const chosen = instances.find(({ id }) => id === instanceId);
  const target = chosen && windowTarget(chosen);
  const run = async (): Promise<void> => {
    result.value = await post<SignIn>("sign-ins", {
      provider: at,
      instance: instanceId,
      outcome: outcome.value,
      ...(account.value && { as: account.value }),
    });
  };
  const runInWindow = async (): Promise<void> => {
    if (target !== undefined) result.value = (await signInInWindow(at, instanceId, target)) ?? result.peek();
  };
  return (
    <Panel title="Sign in">
      <div class="stack">
        <div class="form-grid">
          <Select
            label="Provider"
            value={at}
            choices={choicesOf(providers)}
            onChange={(value) => void (provider.value = value)}
          />
          <Select
            label="Instance"
            value={instanceId}
            choices={instanceChoices()}
            onChange={(value) => void (instance.value = value)}
          />
          <Select
            label="Account"
            value={account.value}
            choices={[
              { value: "", text: "The first one" },
              ...(personas.data ?? []).map(({ id, data }) => ({
                value: id,
                text: visible(`${data.name ?? id} (${data.email})`),
              })),
            ]}
            onChange={(value) => void (account.value = value)}
          />
          <Select
            label="Outcome"
            value={outcome.value}
            choices={outcomes
              .filter(({ providers: possible }) => possible.some((name) => name === at))
              .map(({ id, title }) => ({ value: id, text: title }))}
            onChange={(value) => void (outcome.value = value)}
          />
        </div>
        <div class="actions">
          <Button kind="primary" icon="try-it" onClick={run} testId="run-sign-in">
            Sign in
          </Button>
          <Button icon="external" disabled={target === undefined} onClick={runInWindow} testId="open-window">
            Open in a window
          </Button>
        </div>
        {target !== undefined && !target.startsWith(globalThis.location.origin) && (
          <p class="muted">
            The window ends at your application, <code>{target}</code>, which gets the token.
          </p>
        )}
        {result.value && <Outcome result={result.value} instance={instanceId} />}
      </div>
    </Panel>
  );
}

function Outcome({ result, instance }: { result: SignIn; instance: string }): VNode {
  return (
    <div class="stack" data-testid="sign-in-result">
      <Facts
        rows={[
          [
            "Result",
            result.token || (result.user_id && !result.error) ? (
              <Pill tone="good">token</Pill>
            ) : (
              <Pill tone="bad">{result.error ?? "rejected"}</Pill>
            ),
          ],
          ["Flow", <a href={href(["flows", result.flow_id])}>See every step</a>],
          ["User", result.user_id && <a href={href(["users", result.user_id])}>{result.user_id}</a>],
        ]}
      />
      {result.location && (
        <div>
          <h3>The application is sent</h3>
          <div class="with-copy">
            <Code>{result.location}</Code>
            <Copy text={result.location} label="Redirect" />
          </div>
        </div>
      )}
      {result.token && <Claims token={result.token} instance={instance} />}
    </div>
  );
}

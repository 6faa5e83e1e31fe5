import { PageHeading, Facts, Panel, Pill } from "../ui/parts.tsx";
import { shownToken, TokenFields } from "./token.tsx";
import { useSignal } from "@preact/signals";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import { tryTarget } from "../../wire/redirect-uri.ts";
import { control, type OutcomeId, type SignIn } from "../api/client.ts";
import { currentInstance, service } from "../api/service.ts";
import { href } from "../router.ts";
import { Button, Icon } from "../ui/button.tsx";
import { CopyableCode } from "../ui/values.tsx";
import { Select, SelectField } from "../ui/field.tsx";
import { instanceChoices, outcomeChoices, providerChoices, usePersonaChoices } from "./choices.ts";

/** A complete sign-in, at once or in another tab where the user chooses the account, and what its token says. */
export function TryItPage() {
  const { instances } = service.value;
  const accounts = usePersonaChoices("The first one");
  const wanted = useSignal<Provider>(PROVIDERS[0]);
  const instance = useSignal(currentInstance());
  const account = useSignal("");
  const outcome = useSignal<OutcomeId>("success");
  const result = useSignal<SignIn | undefined>(undefined);
  const chosen = instances.find(({ id }) => id === instance.value) ?? instances[0];
  const instanceId = chosen?.id ?? "";
  const offered = chosen?.data.providers ?? [];
  const provider = offered.find((name) => name === wanted.value) ?? offered[0] ?? wanted.value;
  const target = chosen && tryTarget(chosen.data.redirect_uris, globalThis.location.origin);
  const run = async (): Promise<void> => {
    result.value = await control.request("POST /sign-ins", {
      body: {
        provider,
        instance: instanceId,
        outcome: outcome.value,
        as: account.value || undefined,
      },
    });
    shownToken.value = result.value.token ?? "";
  };
  const page = new URL("/oauth/authorize", globalThis.location.origin);
  page.search = new URLSearchParams({ provider, instance: instanceId, redirect_uri: target ?? "" }).toString();
  return (
    <>
      <PageHeading title="Try it" note="Run a sign-in and see what your application would get." />
      <Panel title="Sign in">
        <div class="stack">
          <div class="form-grid">
            <Select
              label="Provider"
              value={provider}
              choices={providerChoices(undefined, offered)}
              onChange={(name) => void (wanted.value = name as Provider)}
            />
            <SelectField label="Instance" value={instance} choices={instanceChoices()} />
            <SelectField label="Account" value={account} choices={accounts} />
            <SelectField label="Outcome" value={outcome} choices={outcomeChoices(undefined, provider)} />
          </div>
          <div class="actions">
            <Button kind="primary" icon="try-it" onClick={run} testId="run-sign-in">
              Sign in
            </Button>
            {target !== undefined && (
              <a class="button" href={page.href} target="_blank" rel="noopener" data-testid="open-window">
                <Icon name="external" />
                Choose the account
              </a>
            )}
          </div>
          {target !== undefined && !target.startsWith(globalThis.location.origin) && (
            <p class="muted">
              With the account picker, the sign-in ends at your application, <code>{target}</code>.
            </p>
          )}
          {result.value && <Outcome result={result.value} />}
          <TokenFields />
        </div>
      </Panel>
    </>
  );
}

function Outcome({ result }: { result: SignIn }) {
  return (
    <div class="stack" data-testid="sign-in-result">
      <Facts
        rows={[
          [
            "Result",
            result.token || (result.user_id && !result.error) ? (
              <Pill tone="good">signed in</Pill>
            ) : (
              <Pill tone="bad">{result.error ?? "rejected"}</Pill>
            ),
          ],
          ["Sign-in", <a href={href(["flows", result.flow_id])}>See every step</a>],
          ["User", result.user_id && <a href={href(["users", result.user_id])}>{result.user_id}</a>],
        ]}
      />
      {result.location && (
        <div>
          <h3>The application is sent</h3>
          <CopyableCode text={result.location} label="Redirect" />
        </div>
      )}
    </div>
  );
}

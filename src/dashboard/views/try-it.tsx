import { Heading, Facts, Panel, Pill } from "../ui/parts.tsx";
import { TokenPanel, Claims } from "./token.tsx";
import { useSignal } from "@preact/signals";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import { tryTarget, SIGNED_IN_PATH } from "../../wire/redirect-uri.ts";
import { control, type OutcomeId, type SignIn, type Flow } from "../api/client.ts";
import { currentInstance, service } from "../api/service.ts";
import { href } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { CopyableCode } from "../ui/values.tsx";
import { Select, SelectField } from "../ui/field.tsx";
import { instanceChoices, outcomeChoices, providerChoices, usePersonaChoices } from "./choices.ts";
import { onEvent } from "../api/stream.ts";

/** Signs in as an application would, and decodes tokens. */
export function TryIt() {
  return (
    <>
      <Heading title="Try it" note="Run a sign-in and see what your application would get." />
      <TrySignIn />
      <TokenPanel />
    </>
  );
}

/** A complete sign-in: at once, or in a window where the user chooses the account. */
export function TrySignIn() {
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
  };
  const runInWindow = async (): Promise<void> => {
    if (target !== undefined) result.value = (await signInInWindow(provider, instanceId, target)) ?? result.peek();
  };
  return (
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

function Outcome({ result, instance }: { result: SignIn; instance: string }) {
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
          ["Flow", <a href={href(["flows", result.flow_id])}>See every step</a>],
          ["User", result.user_id && <a href={href(["users", result.user_id])}>{result.user_id}</a>],
        ]}
      />
      {result.location && (
        <div>
          <h3>The application is sent</h3>
          <CopyableCode text={result.location} label="Redirect" />
        </div>
      )}
      {result.token && <Claims token={result.token} instance={instance} />}
    </div>
  );
}

const LOOK_EVERY_MS = 150;
/** How often to look for the final page. svc shows some failures itself, without a redirect. */
const PATIENCE = 14;

/**
 * Runs a sign-in in a window, where the user chooses the account, and returns its result. Undefined if the window was
 * closed before the end. The result comes from the events; the token is known if the window ends at our own page.
 * @throws {Error} if the browser opens no window
 */
export async function signInInWindow(
  provider: string,
  instance: string,
  redirect: string,
): Promise<SignIn | undefined> {
  const url = new URL("/oauth/authorize", location.origin);
  url.search = new URLSearchParams({ provider, instance, redirect_uri: redirect }).toString();
  let flow: Flow | undefined;
  const stop = onEvent((event) => {
    if (event.resource !== "flow") return;
    if (event.data.redirect_uri !== redirect || event.data.provider !== provider) return;
    if (flow === undefined || flow.id === event.id) flow = event;
  });
  const popup = globalThis.open(url, "svc-try-it", "popup,width=520,height=720");
  try {
    if (!popup) throw new Error("The browser opened no window: allow pop-ups for this page.");
    for (let patience = PATIENCE; ;) {
      const shown = endOf(popup);
      const hasEnded = flow && flow.data.result !== "open";
      if (flow && hasEnded && (shown || popup.closed || patience-- === 0)) return resultOf(flow, shown);
      if (popup.closed) return undefined;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    stop();
  }
}

/** The result that the window shows. Undefined if it has not finished. The page removes the query from its address. */
function endOf(popup: Window): { location: string; token: string | undefined } | undefined {
  try {
    if (popup.closed) return undefined;
    const { location: at, document: page } = popup;
    if (at.pathname !== SIGNED_IN_PATH || page.readyState !== "complete") return undefined;
    const token = page.querySelector<HTMLTextAreaElement>("#token")?.value;
    const text = (id: string): string => page.querySelector(`[data-testid="${id}"]`)?.textContent ?? "";
    const query = token === undefined ? { error: text("error"), error_description: text("error-detail") } : { token };
    return { token, location: `${at.origin}${SIGNED_IN_PATH}?${new URLSearchParams(query).toString()}` };
  } catch {
    // The window is at another origin.
    return undefined;
  }
}

function resultOf({ id, data }: Flow, shown: ReturnType<typeof endOf>): SignIn {
  return {
    flow_id: id,
    user_id: data.user_id,
    location: shown?.location ?? null,
    ...(shown?.token !== undefined && { token: shown.token }),
    ...(data.error !== null && { error: data.error }),
  };
}

import { signal, useSignal } from "@preact/signals";
import { FormField, SelectField, choicesOf } from "../ui/field.tsx";
import { Panel, Placeholder, Problem } from "../ui/parts.tsx";
import { control, type Token, type User } from "../api/client.ts";
import { service } from "../api/service.ts";
import { useLoad } from "../api/use-load.ts";
import { TOKEN_KINDS } from "../../wire/claims.ts";
import { href } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { Code, CopyableCode } from "../ui/values.tsx";

/** The token that Try it shows. In an address it would stay in the browser's history. */
export const shownToken = signal("");

/** Decodes and verifies the token of the last sign-in, or a pasted one. */
export function TokenFields() {
  const token = shownToken.value.trim();
  return (
    <div class="stack" data-testid="token-panel">
      <FormField label="Token" hint="Paste one to decode and verify it. It is sent to this server and to no other.">
        <textarea
          spellcheck={false}
          placeholder="eyJhbGciOiJIUzI1NiIs…"
          value={shownToken.value}
          onInput={(event) => void (shownToken.value = event.currentTarget.value)}
          data-testid="token"
        />
      </FormField>
      {token !== "" && <Claims token={token} />}
    </div>
  );
}

/** A token's claims, and the result of `tokens/verify`. */
function Claims({ token }: { token: string }) {
  const clock = service.value.state?.clock;
  // A token expires while somebody looks at it, if the clock is moved.
  const time = clock?.mode === "frozen" ? clock.now : clock?.offset_ms;
  const { data, error, reload } = useLoad(
    () => control.request("POST /tokens/verify", { body: { token } }),
    [token, time],
  );
  if (error) return <Problem error={error} onRetry={reload} />;
  if (!data) return <Placeholder lines={4} />;
  const isValid = data.status === 200;
  return (
    <div class="stack" data-testid="verdict">
      <p class={isValid ? "good-text" : "bad-text"}>
        <strong>{isValid ? "Valid." : "Not valid."}</strong> {data.reason}
      </p>
      <div class="grid-2">
        <div>
          <h3>Claims</h3>
          <Code>{JSON.stringify(data.claims, null, 2)}</Code>
        </div>
        <div>
          <h3>POST /api/v1/tokens/verify answers {data.status}</h3>
          <Code>{JSON.stringify(data.answer, null, 2)}</Code>
        </div>
      </div>
    </div>
  );
}

/** Creates a token for a user: a valid one, or one of each invalid kind. */
export function MintToken({ user }: { user: User }) {
  const kind = useSignal<Token["kind"]>("valid");
  const minted = useSignal<Token | undefined>(undefined);
  const mint = async (): Promise<void> => {
    const body = { user: user.id, instance: user.data.instance, kind: kind.value };
    minted.value = await control.request("POST /tokens", { body });
  };
  const { value: token } = minted;
  return (
    <Panel title="Make a token">
      <div class="stack">
        <div class="filters">
          <SelectField inline label="Kind" value={kind} choices={choicesOf(TOKEN_KINDS)} />
          <Button icon="key" onClick={mint} testId="mint">
            Make
          </Button>
        </div>
        {token && (
          <>
            <CopyableCode text={token.token} label="Token" />
            <p class="muted">
              <code>POST /api/v1/tokens/verify</code> answers {token.expect.status}
              {token.expect.error ? `: ${token.expect.error}` : ""}.{" "}
              <a class="inline-link" href={href(["try-it"])} onClick={() => void (shownToken.value = token.token)}>
                See why
              </a>
            </p>
          </>
        )}
      </div>
    </Panel>
  );
}

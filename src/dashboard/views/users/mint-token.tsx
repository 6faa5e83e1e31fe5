import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { TOKEN_KINDS } from "../../../wire/claims.ts";
import { control } from "../../api/client.ts";
import type { Token, User } from "../../api/records.ts";
import { href } from "../../router.ts";
import { Button } from "../../ui/button.tsx";
import { CopyableCode } from "../../ui/copy.tsx";
import { choicesOf, SelectField } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { handOver } from "../try-it/token.tsx";

/** Creates a token for a user: a valid one, or one of each invalid kind. */
export function MintToken({ user }: { user: User }): VNode {
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
              <a class="inline-link" href={href(["try-it"])} onClick={() => handOver(token.token)}>
                See why
              </a>
            </p>
          </>
        )}
      </div>
    </Panel>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { TOKEN_KINDS } from "../../../wire/token-kinds.ts";
import { post } from "../../api/client.ts";
import type { Token, User } from "../../api/records.ts";
import { href } from "../../router.ts";
import { Button, Copy } from "../../ui/button.tsx";
import { choicesOf, Select } from "../../ui/field.tsx";
import { Code, Panel } from "../../ui/parts.tsx";

/** Makes a token for a user: a valid one, or one of each way to be wrong. */
export function MintToken({ user }: { user: User }): VNode {
  const kind = useSignal("valid");
  const minted = useSignal<Token | undefined>(undefined);
  const mint = async (): Promise<void> => {
    minted.value = await post<Token>("tokens", { user: user.id, instance: user.data.instance, kind: kind.value });
  };
  const { value: token } = minted;
  return (
    <Panel title="Make a token">
      <div class="stack">
        <div class="filters">
          <Select
            inline
            label="Kind"
            value={kind.value}
            choices={choicesOf(TOKEN_KINDS)}
            onChange={(value) => void (kind.value = value)}
          />
          <Button icon="key" onClick={mint} testId="mint">
            Make
          </Button>
        </div>
        {token && (
          <>
            <div class="with-copy">
              <Code>{token.token}</Code>
              <Copy text={token.token} label="Token" />
            </div>
            <p class="muted">
              <code>POST /api/v1/tokens/verify</code> answers {token.expect.status}
              {token.expect.error ? `: ${token.expect.error}` : ""}.{" "}
              <a class="inline-link" href={href(["try-it"], { section: "token", token: token.token })}>
                See why
              </a>
            </p>
          </>
        )}
      </div>
    </Panel>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Field, SelectField } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { instanceChoices } from "../choices.ts";
import { Claims } from "./claims.tsx";

let handedOver = "";

/** Has the panel show a token when it opens. An address with a token in it would stay in the browser's history. */
export function handOver(token: string): void {
  handedOver = token;
}

/** Decodes and verifies a pasted token. */
export function TokenPanel(): VNode {
  const text = useSignal(handedOver);
  useEffect(() => handOver(""), []);
  const instance = useSignal("");
  const token = text.value.trim();
  return (
    <Panel title="Decode and verify a token" testId="token-panel">
      <div class="stack">
        <Field label="Token" hint="It is sent to this server and to no other.">
          <textarea
            data-search
            spellcheck={false}
            placeholder="eyJhbGciOiJIUzI1NiIs…"
            value={text.value}
            onInput={(event) => void (text.value = event.currentTarget.value)}
            data-testid="token"
          />
        </Field>
        <SelectField
          label="Verify it for"
          value={instance}
          choices={instanceChoices("The instance that the token names")}
        />
        {token !== "" && <Claims token={token} instance={instance.value || undefined} />}
      </div>
    </Panel>
  );
}

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { location } from "../../router.ts";
import { Field, SelectField } from "../../ui/field.tsx";
import { Panel } from "../../ui/parts.tsx";
import { instanceChoices } from "../choices.ts";
import { Claims } from "./claims.tsx";

/** Decodes and verifies a pasted token. */
export function TokenPanel(): VNode {
  const text = useSignal(location.value.query["token"] ?? "");
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

import type { VNode } from "preact";
import { control } from "../../api/client.ts";
import { service } from "../../api/service.ts";
import { useLoad } from "../../api/use-load.ts";
import { Code, Placeholder, Problem } from "../../ui/parts.tsx";

/** A token's claims, and the result of `tokens/verify`. */
export function Claims({ token, instance }: { token: string; instance?: string | undefined }): VNode {
  const { clock } = service.value;
  // A token expires while somebody looks at it, if the clock is moved.
  const time = clock?.mode === "frozen" ? clock.now : clock?.offset_ms;
  const { data, error, reload } = useLoad(
    () => control.request("POST /tokens/verify", { body: { token, instance } }),
    [token, instance, time],
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

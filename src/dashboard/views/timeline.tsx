import { stepInWords, type Step } from "../../wire/control/flows.ts";
import { Facts, Pill } from "../ui/parts.tsx";
import { Code, UserText, shownDuration, TimeOfDay } from "../ui/values.tsx";

/** The steps of a sign-in. The failing one is open. */
export function Timeline({ steps, hasFailed }: { steps: readonly Step[]; hasFailed: boolean }) {
  // The one that has the reason.
  const failing = hasFailed ? steps.findLastIndex(({ reason }) => reason !== null) : -1;
  return (
    <ol class="timeline">
      {steps.map((step, n) => (
        <li key={`${n}-${step.name}`} class={n === failing ? "failed" : ""} data-testid="step">
          <details open={n === failing}>
            <summary>
              <strong>{step.name}</strong>
              {n === failing && <Pill tone="bad">failed</Pill>}
              <UserText text={stepInWords(step)} muted />
              <span class="muted">
                <TimeOfDay at={step.at} />
              </span>
              <span class="step-time">{shownDuration(step.ms)}</span>
            </summary>
            <div class="stack step-detail">
              {step.reason && <p class={n === failing ? "bad-text" : "muted"}>{step.reason}</p>}
              <Evidence step={step} />
              {step.sent && <Exchange title="Sent" content={step.sent} />}
              {step.answered && <Exchange title="Answered" content={step.answered} />}
              {!step.sent && !step.answered && !step.reason && <p class="muted">Nothing was exchanged in this step.</p>}
            </div>
          </details>
        </li>
      ))}
    </ol>
  );
}

/** What a step decided by: the account's addresses, or the registered addresses. */
function Evidence({ step: { sent, answered } }: { step: Step }) {
  const addresses = Object.keys(answered ?? {}).flatMap((path) => /^(\d+)\.email$/.exec(path)?.[1] ?? []);
  if (addresses.length > 0)
    return (
      <Facts
        rows={addresses.map(
          (n) =>
            [
              String(answered![`${n}.email`]),
              <span class="row">
                <Pill>{answered![`${n}.primary`] === true ? "primary" : "not primary"}</Pill>
                <Pill tone={answered![`${n}.verified`] === true ? "good" : "bad"}>
                  {answered![`${n}.verified`] === true ? "verified" : "not verified"}
                </Pill>
              </span>,
            ] as const,
        )}
      />
    );
  if (answered?.["registered"] === undefined) return null;
  return (
    <Facts
      rows={[
        ["Asked", <code>{String(sent?.["redirect_uri"])}</code>],
        ["Registered", <code>{String(answered["registered"]) || "none"}</code>],
      ]}
    />
  );
}

function Exchange({ title, content }: { title: string; content: object }) {
  return (
    <div>
      <h3>{title}</h3>
      <Code>{JSON.stringify(content, null, 2)}</Code>
    </div>
  );
}

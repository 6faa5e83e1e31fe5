import type { VNode } from "preact";
import { stepInWords, type Step } from "../../../wire/control/step-words.ts";
import { providerTitle } from "../../../wire/names.ts";
import { Code, Pill } from "../../ui/parts.tsx";
import { sentence } from "../../ui/sentence.ts";
import { UserText } from "../../ui/user-text.tsx";
import { duration, TimeOfDay } from "../../ui/time.tsx";

/** The steps of a sign-in. The failing one is open. */
export function Timeline({ steps, hasFailed }: { steps: readonly Step[]; hasFailed: boolean }): VNode {
  const failing = hasFailed ? failingStep(steps) : -1;
  const longest = Math.max(...steps.map(({ ms }) => ms), 1);
  return (
    <ol class="timeline">
      {steps.map((step, n) => (
        <li key={`${n}-${step.name}`} class={n === failing ? "failed" : ""} data-testid="step">
          <details open={n === failing}>
            <summary>
              <span class="dot" aria-hidden="true" />
              <strong>{step.name}</strong>
              {n === failing && <Pill tone="bad">failed</Pill>}
              <UserText text={stepInWords(named(step))} muted />
              <span class="faint">
                <TimeOfDay at={step.at} />
              </span>
              <span class="step-time">
                <meter min={0} max={longest} value={step.ms} aria-label="Duration" />
                <span>{duration(step.ms)}</span>
              </span>
            </summary>
            <div class="stack step-detail">
              {step.reason && <p class={n === failing ? "bad-text" : "muted"}>{sentence(step.reason)}</p>}
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

/** With the provider as people write it. */
function named(step: Step): Step {
  const { sent } = step;
  return typeof sent?.["provider"] === "string"
    ? { ...step, sent: { ...sent, provider: providerTitle(sent["provider"]) } }
    : step;
}

function Exchange({ title, content }: { title: string; content: object }): VNode {
  return (
    <div>
      <h3>{title}</h3>
      <Code>{JSON.stringify(content, null, 2)}</Code>
    </div>
  );
}

/** The one that has the reason. */
function failingStep(steps: readonly Step[]): number {
  return steps.findLastIndex(({ reason }) => reason !== null);
}

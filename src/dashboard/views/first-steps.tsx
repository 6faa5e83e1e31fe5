import { signal } from "@preact/signals";
import { service, runSignIn } from "../api/service.ts";
import { go } from "../router.ts";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/parts.tsx";

const STORAGE_KEY = "svc_dashboard_first_steps";
const isDismissed = signal(localStorage.getItem(STORAGE_KEY) === "dismissed");

function dismiss(): void {
  localStorage.setItem(STORAGE_KEY, "dismissed");
  isDismissed.value = true;
}

/** For a first visit: a sign-in by one button, whose steps are shown. */
export function FirstSteps() {
  if (service.value.instances.length === 0 || isDismissed.value) return null;
  return (
    <Panel
      title="Your first sign-in"
      testId="first-steps"
      actions={
        <Button small kind="quiet" testId="dismiss" onClick={dismiss}>
          Don't show this again
        </Button>
      }
    >
      <div class="stack">
        <p>
          This server plays the providers itself. A sign-in needs no account, no application and no network: run one,
          and see each of its steps.
        </p>
        <div class="actions">
          <Button
            kind="primary"
            icon="try-it"
            testId="first-sign-in"
            onClick={async () => go(["flows", (await runSignIn()).flow_id])}
          >
            Run a sign-in
          </Button>
          <a class="button" href="#/try-it">
            Choose how it goes
          </a>
        </div>
      </div>
    </Panel>
  );
}

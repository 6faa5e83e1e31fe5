import { href, location } from "../router.ts";
import { PageHeading, Panel, Pill, Placeholder, Problem } from "../ui/parts.tsx";
import { DataPanel } from "./control/data.tsx";
import { PersonasPanel } from "./control/personas.tsx";
import { ScenariosPanel } from "./control/scenarios.tsx";
import { control, type Clock } from "../api/client.ts";
import { refreshState, service, setClock } from "../api/service.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Form, type Send } from "../ui/form.tsx";
import { runningTime, wallTime, zone, zoneName } from "../ui/values.tsx";

const SECTIONS = { scenarios: "Scenarios", personas: "Personas", clock: "Clock", data: "Data" } as const;
type Section = keyof typeof SECTIONS;

/** Controls the outcomes of sign-ins, the clock and the records. */
export function ControlPage() {
  const wanted = location.value.query["section"] as Section | undefined;
  const section: Section = wanted && wanted in SECTIONS ? wanted : "scenarios";
  return (
    <>
      <PageHeading title="Control" note="Whatever can happen to a sign-in in production can be made to happen here." />
      <nav class="tabs" aria-label="Sections">
        {Object.entries(SECTIONS).map(([name, title]) => (
          <a
            key={name}
            href={href(["control"], { section: name })}
            aria-current={name === section ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {section === "scenarios" && <ScenariosPanel />}
      {section === "personas" && <PersonasPanel />}
      {section === "clock" && <ClockPanel />}
      {section === "data" && <DataPanel />}
    </>
  );
}

const MODES = { real: "Real time", running: "Moved, and running", frozen: "Frozen" } as const;
/** One second more than the lifetime of a token (spec, "Limits"). */
const TOKENS_EXPIRE = "3601s";

/** The service's clock. It affects states, codes, tokens, sessions and verification, not this machine's clock. */
export function ClockPanel() {
  const { state, problem } = service.value;
  const clock = state?.clock;
  const change = async (changing: Promise<Clock>): Promise<void> => setClock(await changing);
  const advance = (by: string): Promise<void> => change(control.request("POST /clock/advance", { body: { by } }));
  const set: Send = ({ at }) => {
    const body = { at: new Date(`${at}${zone.value === "utc" ? "Z" : ""}`).toISOString() };
    return change(control.request("POST /clock/set", { body }));
  };
  if (!clock)
    return problem === undefined ? (
      <Placeholder />
    ) : (
      <Problem error={new Error(problem)} onRetry={() => refreshState()} />
    );
  const now = clock.mode === "frozen" ? Date.parse(clock.now) : runningTime();
  return (
    <Panel title="Clock" actions={<Pill tone={clock.mode === "real" ? "good" : "warn"}>{MODES[clock.mode]}</Pill>}>
      <div class="stack">
        <p class="clock-face" data-testid="clock">
          {wallTime(now).slice(0, 19)} <small class="muted">{zoneName(now)}</small>
        </p>
        <div class="actions">
          {clock.mode === "frozen" ? (
            <Button kind="primary" onClick={() => change(control.request("POST /clock/resume"))}>
              Resume
            </Button>
          ) : (
            <Button onClick={() => change(control.request("POST /clock/freeze"))}>Freeze</Button>
          )}
          <Button onClick={() => advance("10m")}>+10 min</Button>
          <Button onClick={() => advance("1h")}>+1 h</Button>
          <Button onClick={() => advance(TOKENS_EXPIRE)}>Until tokens expire</Button>
          <Button disabled={clock.mode === "real"} onClick={() => change(control.request("POST /clock/reset"))}>
            Back to real time
          </Button>
        </div>
        <Form isRow action="Set" onSubmit={set}>
          <TextField
            name="at"
            label={`Set it to (${zoneName()})`}
            hint="The clock goes on from there. Records keep the dates that they have."
            type="datetime-local"
            step="1"
            required
          />
        </Form>
      </div>
    </Panel>
  );
}

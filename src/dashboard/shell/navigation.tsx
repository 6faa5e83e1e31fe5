import { useEffect } from "preact/hooks";
import { scenarioInWords } from "../../wire/control/scenarios.ts";
import { streamStatus } from "../api/stream.ts";
import { instanceName, service } from "../api/service.ts";
import { Button, Icon } from "../ui/button.tsx";
import { switchZone, zoneName, runningTime, UserText, wallTime } from "../ui/values.tsx";
import { Pill } from "../ui/parts.tsx";
import { VIEWS, type View } from "./views.ts";
import { href } from "../router.ts";

const STATUS = { connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…" } as const;

/** The links to the views. In a narrow window they are one line, which scrolls to the view that is shown. */
export function Navigation({ current }: { current: View["path"] | undefined }) {
  useEffect(
    () => document.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center" }),
    [current],
  );
  const status = streamStatus.value;
  return (
    <nav class="sidebar" aria-label="Views">
      <a class="brand" href="#/overview">
        <span class="brand-mark" aria-hidden="true">
          s
        </span>
        svc
      </a>
      {VIEWS.map(({ path, title }) => (
        <a key={path} class="nav-link" href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
          <Icon name={path} />
          {title}
        </a>
      ))}
      <div class="sidebar-foot">
        <span data-testid="stream-status">
          <Pill tone={status === "live" ? "good" : "warn"}>{STATUS[status]}</Pill>
        </span>
        <span class="faint">{service.value.state && `svc ${service.value.state.version}`}</span>
        <Button kind="quiet" small testId="zone" onClick={switchZone}>
          Times in {zoneName()}
        </Button>
        <a href="openapi.json">OpenAPI</a>
      </div>
    </nav>
  );
}

/** Shown on every view while a scenario decides how the next sign-ins end. */
export function WaitingScenarios() {
  const [first, ...others] = service.value.state?.scenarios ?? [];
  if (!first) return null;
  return (
    <div class="banner" role="status" data-testid="waiting-scenarios">
      <Icon name="control" />
      <span>
        {others.length === 0 ? "A scenario waits." : `${others.length + 1} scenarios wait.`}{" "}
        <UserText text={scenarioInWords(first, instanceName(first.data.match.instance))} />
      </span>
      <a href={href(["control"], { section: "scenarios" })}>Scenarios</a>
    </div>
  );
}

/** Shown on every view while the service's clock is not real time. */
export function ClockChip() {
  const clock = service.value.state?.clock;
  if (!clock || clock.mode === "real") return null;
  const now = clock.mode === "frozen" ? clock.now : runningTime();
  return (
    <a
      class="clock-chip"
      href={href(["control"], { section: "clock" })}
      title="The service's clock is not real time"
      data-testid="clock-chip"
    >
      <Icon name="clock" />
      {clock.mode === "frozen" ? "Frozen at" : "Clock moved to"} {wallTime(now).slice(0, 19)}
    </a>
  );
}

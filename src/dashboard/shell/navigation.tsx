import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { scenarioInWords } from "../../wire/control/scenarios.ts";
import { streamStatus } from "../api/stream.ts";
import { clockOffset, instanceName, service } from "../api/service.ts";
import { Button, Icon } from "../ui/button.tsx";
import { switchZone, zoneName, runningTime, UserText, wallTime } from "../ui/values.tsx";
import { Pill } from "../ui/parts.tsx";
import { VIEWS, type ShellView } from "./views.ts";
import { currentAddress, href } from "../router.ts";

const STATUS = { connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…" } as const;

/** The links to the views. In a narrow window they are behind a button. */
export function Navigation({ current }: { current: ShellView["path"] | undefined }) {
  const isOpen = useSignal(false);
  const { value: address } = currentAddress;
  useEffect(() => void (isOpen.value = false), [address]);
  const status = streamStatus.value;
  return (
    <nav class="sidebar" aria-label="Views">
      <a class="brand" href="#/overview">
        <span class="brand-mark" aria-hidden="true">
          s
        </span>
        svc
      </a>
      <button
        type="button"
        class="button menu"
        aria-expanded={isOpen.value}
        aria-controls="views"
        onClick={() => void (isOpen.value = !isOpen.value)}
      >
        Menu
      </button>
      <div id="views" class={isOpen.value ? "views open" : "views"}>
        {VIEWS.map(({ path, title }) => (
          <a key={path} class="nav-link" href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
            <Icon name={path} />
            {title}
          </a>
        ))}
        <Button kind="quiet" small icon="clock" testId="zone" onClick={switchZone}>
          Times in {zoneName()}
        </Button>
      </div>
      <div class="sidebar-foot">
        <span data-testid="stream-status">
          <Pill tone={status === "live" ? "good" : "warn"}>{STATUS[status]}</Pill>
        </span>
        <span class="faint">{service.value.state && `svc ${service.value.state.version}`}</span>
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

/** Shown on every view while the service's clock is not real time, with what that does to a period. */
export function ClockBanner() {
  const clock = service.value.state?.clock;
  if (!clock || clock.mode === "real") return null;
  const isFrozen = clock.mode === "frozen";
  const minutes = Math.round(clockOffset.value / 60_000);
  const amount = Math.abs(minutes) < 120 ? `${Math.abs(minutes)} min` : `${Math.round(Math.abs(minutes) / 60)} h`;
  return (
    <div class="banner" role="status" data-testid="clock-chip">
      <Icon name="clock" />
      <span>
        {isFrozen ? "Frozen at" : "Clock moved to"} {wallTime(isFrozen ? clock.now : runningTime()).slice(0, 19)}
        {minutes !== 0 && `, ${amount} ${minutes > 0 ? "ahead" : "behind"}`}. Periods end there
        {minutes !== 0 && `: what is from before seems ${amount} ${minutes > 0 ? "older" : "younger"}`}.
      </span>
      <a href={href(["control"], { section: "clock" })}>Clock</a>
    </div>
  );
}

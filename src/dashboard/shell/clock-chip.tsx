import type { VNode } from "preact";
import { service } from "../api/service.ts";
import { href } from "../router.ts";
import { Icon } from "../ui/icon.tsx";
import { useServiceTime, wallTime } from "../ui/time.tsx";

/** Shown on every view while the service's clock is not real time. */
export function ClockChip(): VNode | null {
  const { clock } = service.value;
  const time = useServiceTime(clock?.mode === "running");
  if (!clock || clock.mode === "real") return null;
  const now = clock.mode === "frozen" ? clock.now : time;
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

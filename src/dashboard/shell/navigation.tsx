import type { VNode } from "preact";
import { streamStatus } from "../api/stream.ts";
import { service } from "../api/service.ts";
import { Icon } from "../ui/icon.tsx";
import { VIEWS, type View } from "./views.ts";

export function Navigation({ current, isOpen }: { current: View["path"] | undefined; isOpen: boolean }): VNode {
  const isLive = streamStatus.value === "live";
  return (
    <nav class={`sidebar${isOpen ? " open" : ""}`} aria-label="Views">
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
        <span class={`live${isLive ? "" : " off"}`} data-testid="stream-status">
          <i />
          {isLive ? "Live" : "Reconnecting…"}
        </span>
        <span class="faint">{service.value.state && `svc ${service.value.state.version}`}</span>
        <a href="docs">API reference</a>
      </div>
    </nav>
  );
}

import type { ComponentType } from "preact";
import type { IconName } from "../ui/button.tsx";
import { ControlPage } from "../views/control.tsx";
import { FlowPage } from "../views/flow.tsx";
import { FlowsPage } from "../views/flows.tsx";
import { InstancePage } from "../views/instance.tsx";
import { InstancesPage } from "../views/instances.tsx";
import { OverviewPage } from "../views/overview.tsx";
import { RequestPage, RequestsPage } from "../views/requests.tsx";
import { SessionsPage } from "../views/sessions.tsx";
import { TryItPage } from "../views/try-it.tsx";
import { UserPage } from "../views/user.tsx";
import { UsersPage } from "../views/users.tsx";

export interface ShellView {
  /** The first part of its address, and its icon. */
  readonly path: IconName;
  readonly title: string;
  readonly list: ComponentType;
  /** One record of it: `#/users/0b6c…`. */
  readonly record?: ComponentType<{ id: string }>;
}

export const VIEWS: readonly ShellView[] = [
  { path: "overview", title: "Overview", list: OverviewPage },
  { path: "instances", title: "Instances", list: InstancesPage, record: InstancePage },
  { path: "users", title: "Users", list: UsersPage, record: UserPage },
  { path: "sessions", title: "Sessions", list: SessionsPage },
  { path: "flows", title: "Flows", list: FlowsPage, record: FlowPage },
  { path: "requests", title: "Requests", list: RequestsPage, record: RequestPage },
  { path: "control", title: "Control", list: ControlPage },
  { path: "try-it", title: "Try it", list: TryItPage },
];

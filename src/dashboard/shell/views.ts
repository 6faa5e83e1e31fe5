import type { ComponentType } from "preact";
import type { IconName } from "../ui/button.tsx";
import { Control } from "../views/control.tsx";
import { Flow } from "../views/flow.tsx";
import { Flows } from "../views/flows.tsx";
import { Instance } from "../views/instance.tsx";
import { Instances } from "../views/instances.tsx";
import { Overview } from "../views/overview.tsx";
import { Request, Requests } from "../views/requests.tsx";
import { Sessions } from "../views/sessions.tsx";
import { TryIt } from "../views/try-it.tsx";
import { User } from "../views/user.tsx";
import { Users } from "../views/users.tsx";

export interface View {
  /** The first part of its address, and its icon. */
  readonly path: IconName;
  readonly title: string;
  readonly list: ComponentType;
  /** One record of it: `#/users/0b6c…`. */
  readonly record?: ComponentType<{ id: string }>;
}

export const VIEWS: readonly View[] = [
  { path: "overview", title: "Overview", list: Overview },
  { path: "instances", title: "Instances", list: Instances, record: Instance },
  { path: "users", title: "Users", list: Users, record: User },
  { path: "sessions", title: "Sessions", list: Sessions },
  { path: "flows", title: "Flows", list: Flows, record: Flow },
  { path: "requests", title: "Requests", list: Requests, record: Request },
  { path: "control", title: "Control", list: Control },
  { path: "try-it", title: "Try it", list: TryIt },
];

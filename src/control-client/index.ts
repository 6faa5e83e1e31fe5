export {
  createControlClient,
  type ControlClient,
  type ControlClientOptions,
  type Call,
  type ListRoute,
} from "./client.ts";
export { ControlError, type ControlErrorCode } from "./error.ts";
export { userIdByEmail } from "./user-by-email.ts";
export type { ServerEvent } from "./events.ts";

export {
  createControlClient,
  type ControlClient,
  type ControlClientOptions,
  type Call,
  type ListRoute,
  userIdByEmail,
  type ServerEvent,
} from "./client.ts";
export { ControlError, type ControlErrorCode } from "./error.ts";

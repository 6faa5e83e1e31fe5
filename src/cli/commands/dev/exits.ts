import { EXIT } from "../../exit-codes.ts";

/** What every command that asks the control API can end with. */
export const DEV_EXITS = [
  EXIT.done,
  EXIT.failed,
  EXIT.usage,
  EXIT.notFound,
  EXIT.noKey,
  EXIT.unreachable,
  EXIT.precondition,
] as const;

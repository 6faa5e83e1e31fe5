import { isSessionId, isUuid } from "../../../wire/ids.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import { shortIdHint } from "../../list/short-id.ts";

/** @throws {CliError} unless a text has the form of a session's id */
export function checkSessionId(text: string): void {
  if (isSessionId(text.toLowerCase())) return;
  const where = "svc sessions list --fields session_id,id,email";
  throw new CliError(
    EXIT.usage,
    `"${text.slice(0, 100)}" is not a session id.`,
    isUuid(text.toLowerCase())
      ? `It is a UUID. If it is the id of a record: svc sessions search id:${text}. Of a user: svc sessions search --user ${text}`
      : (shortIdHint(text, "sessions") ?? `A session id begins with svc_session_. To see them: ${where}`),
  );
}

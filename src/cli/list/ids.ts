import { isSessionId, isUuid } from "../../wire/ids.ts";
import { UsageError } from "../errors.ts";

/** The first part of a UUID, which is what tells a session's id from the others too. */
export function shortId(text: string): string {
  const [first = "", rest] = text.replace(/^svc_session_/, "").split(/(?<=^[0-9a-f]{8})-/);
  return rest === undefined ? text : `${first}…`;
}

/** What to do about an id that was copied from a narrow table. Undefined if the text does not look like one. */
export function shortIdHint(text: string, noun: "users" | "sessions"): string | undefined {
  if (!/^(?:svc_session_)?[0-9a-f]{8}(?:-[0-9a-f-]{0,26})?…?$/i.test(text)) return undefined;
  return `Narrow tables shorten ids. To see all of them: svc ${noun} list --output wide`;
}

export function checkSessionId(text: string): void {
  if (isSessionId(text.toLowerCase())) return;
  const where = "svc sessions list --fields session_id,id,email";
  throw new UsageError(
    `"${text.slice(0, 100)}" is not a session id.`,
    isUuid(text.toLowerCase())
      ? `It is a UUID. If it is the id of a record: svc sessions search id:${text}. Of a user: svc sessions search --user ${text}`
      : (shortIdHint(text, "sessions") ?? `A session id begins with svc_session_. To see them: ${where}`),
  );
}

export function checkFlowId(text: string): void {
  if (/^[0-9a-f]{1,64}$/.test(text)) return;
  throw new UsageError(`"${text}" is not the id of a sign-in.`, "svc logs shows the id of each sign-in, as its flow.");
}

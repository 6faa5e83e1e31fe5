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

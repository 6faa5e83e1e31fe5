/** A UUID in its canonical, lower-case form. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const SESSION_ID_PREFIX = "svc_session_";
/** A label of a host name. */
export const SUBDOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether text is a UUID in its canonical form: in lower case. */
export function isUuid(value: string): boolean {
  return UUID.test(value);
}

/** `svc_session_<uuid>`. */
export function isSessionId(value: string): boolean {
  return value.startsWith(SESSION_ID_PREFIX) && isUuid(value.slice(SESSION_ID_PREFIX.length));
}

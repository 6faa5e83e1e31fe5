export const CONTROL_BASE = "/__svc/v1";
const BELOW = `${CONTROL_BASE}/`;
const CONTROL_OR_PAGES =
  /^\/__svc(?:\/(?:(?:v1|pages|simulator\/avatars)(?:\/[^?]*)?|openapi\.json|dashboard\.\w+)?)?(?:\?|$)/;

/** Whether a path, with or without its query, or the pattern of a route is the control API's. */
export function isControlApi(path: string): boolean {
  return path.startsWith(BELOW) || path === CONTROL_BASE;
}

/**
 * Whether a path, with or without its query, is svc's own: of the control API or the dashboard, a file of a page, or what a
 * command asks that looks for its server.
 */
export function isWatching(path: string): boolean {
  return CONTROL_OR_PAGES.test(path) || isProbe(path);
}

/** Whether a path, with or without its query, is what a command asks to make sure of its server before it sends a key. */
export function isProbe(path: string): boolean {
  return /^\/__svc\/identity(?:\?|$)/.test(path);
}

/** On answers of the control API: where the clock stands, as `GET /clock` says it. */
export const CLOCK_HEADER = "svc-clock";

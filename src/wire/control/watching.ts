/**
 * Whether a request's path and query is the control API's, the dashboard's, or the probe by which a command finds its
 * server: those who watch, not what they watch.
 */
export function isWatching(path: string): boolean {
  return /^\/__svc(?:\/?(?:\?.*)?$|\/v1\/|\/dashboard\.|\/identity\?)/.test(path);
}

/** Whether a request's path and query is the control API's or the dashboard's: those who watch, not what they watch. */
export function isWatching(path: string): boolean {
  return /^\/__svc(?:\/?(?:\?.*)?$|\/v1\/|\/dashboard\.)/.test(path);
}

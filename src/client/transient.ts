/** No connection was made. */
const UNSENT = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** Whether nothing of a request was sent. @param code the system's, such as `ECONNREFUSED` */
export function isUnsent(code: string): boolean {
  return UNSENT.has(code);
}

/**
 * Whether a request changes nothing, and so can be sent again even if the service may have handled it: a read, and the
 * verification of a token.
 * @param path of the request, without its query
 */
export function isRead(method: string, path: string): boolean {
  return method === "GET" || (method === "POST" && path.endsWith("/api/v1/tokens/verify"));
}

/** Whether a status says that the service, or the gateway before it, is unavailable for now. */
export function isUnavailable(status: number | undefined): boolean {
  return status === 502 || status === 503 || status === 504;
}

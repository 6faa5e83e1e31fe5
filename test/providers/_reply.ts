import type { IncomingHttpHeaders, ServerResponse } from "node:http";

export interface ProviderRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Answer = (response: ServerResponse, requests: ProviderRequest) => void;

export const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

export const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export const HTML_TYPE = { "content-type": "text/html" };

export function raw(body: string | Buffer, status = 200, headers: Record<string, string> = JSON_TYPE): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}

export function json(body: unknown, status = 200): Answer {
  return raw(JSON.stringify(body), status);
}

/** Failures that look the same at every provider, at its token endpoint or its profile. */
export const SERVER_ERROR = json({ message: "oops" }, 500);

export const HTML_PAGE = raw("<!doctype html><title>Error</title>", 200, HTML_TYPE);

export const TOO_MANY = json({ message: "Too Many Requests" }, 429);

export const RESET: Answer = (response) => response.destroy();

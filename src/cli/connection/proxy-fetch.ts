import { EnvHttpProxyAgent, request } from "undici";
import type { Fetch } from "../../wire/fetch.ts";
import type { Context } from "../context.ts";

/** Requests through the proxy that `HTTPS_PROXY` or `HTTP_PROXY` names, by CONNECT if the address is https. */
export function createProxyFetch(env: Context["env"]): Fetch {
  const variable = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const httpProxy = variable("HTTP_PROXY");
  const httpsProxy = variable("HTTPS_PROXY") ?? httpProxy;
  const dispatcher = new EnvHttpProxyAgent({
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    // Whether an address is exempt was decided before.
    noProxy: "",
  });
  return async (url, { method = "GET", headers = {}, body, signal }) => {
    const options = { method, headers, dispatcher, ...(body !== undefined && { body }), ...(signal && { signal }) };
    const response = await request(url, options as Parameters<typeof request>[1]);
    return {
      status: response.statusCode,
      headers: { get: (name) => [response.headers[name.toLowerCase()] ?? []].flat().join(", ") || null },
      body: response.body,
      text: () => response.body.text(),
    };
  };
}

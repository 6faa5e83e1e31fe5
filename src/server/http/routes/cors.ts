import { json, type Reply } from "../reply.ts";

/** For what is public: a page of any site may read it. */
export const ANY_ORIGIN: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

/** The answer to a browser that asks before it sends `header`. */
export function preflight(header: string): Reply {
  return json({}, 200, {
    ...ANY_ORIGIN,
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": header,
    "access-control-max-age": "600",
  });
}

import type { H3, H3Event } from "h3";
import { ApiError } from "../errors.ts";

/** What is answered without a key, whatever the `Host` is. */
export interface OpenAnswer {
  /** For the log. */
  readonly route: string;
  answer(event: H3Event): unknown;
}

/** Answers what every host may ask for: it contains no data. @param answers by path */
export function answerAnyHost(app: H3, answers: ReadonlyMap<string, OpenAnswer>): void {
  app.use((event, next) => {
    const { request } = event.context;
    const [path = ""] = request.target.split("?", 1);
    const found = answers.get(path);
    if (!found) return next();
    request.route = found.route;
    if (event.req.method !== "GET" && event.req.method !== "HEAD")
      throw new ApiError("method_not_allowed", undefined, { allow: "GET, HEAD" });
    return found.answer(event);
  });
}

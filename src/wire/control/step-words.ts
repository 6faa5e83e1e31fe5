import type { AnswerOf } from "./types.ts";

/** One thing that was done in a sign-in. */
export type Step = AnswerOf<"GET /flows">[number]["data"]["steps"][number];

/** What happened in a step, in one line. Empty if the step's name is enough. */
export function stepInWords({ name, sent, answered }: Pick<Step, "name" | "sent" | "answered">): string {
  const { provider, url, method, redirect_uri } = sent ?? {};
  const { status, error, outcome, account, result, user_id, message } = answered ?? {};
  switch (name) {
    case "begin":
      return [`with ${provider ?? "?"}`, redirect_uri && `back to ${redirect_uri}`].filter(Boolean).join(", ");
    case "provider":
      return [
        account && `${account} signs in`,
        message && `shows ${message}`,
        outcome && outcome !== "success" && `outcome ${outcome}`,
      ]
        .filter(Boolean)
        .join(", ");
    case "callback":
      return `${provider ?? "the provider"} sends the browser back${sent?.["error"] === undefined ? "" : ` with error=${sent["error"]}`}`;
    case "conflict":
      return `${sent?.["email"]} belongs to another user, ${user_id}`;
    case "redirect":
      if (result === "token")
        return `back to the application with a token for ${answered?.["new_user"] === true ? "the new user" : "user"} ${user_id}`;
      return error === undefined ? "back to the application" : `back to the application with error=${error}`;
  }
  if (url === undefined) return "";
  const place = URL.canParse(String(url)) ? new URL(String(url)).pathname : String(url);
  const answer = status === undefined ? "no answer" : `${status}${error === undefined ? "" : `, error ${error}`}`;
  return `${method ?? "GET"} ${place} → ${answer}`;
}

import { curlCommand } from "../../text/shell.ts";
import type { AnswerOf } from "../../wire/control/types.ts";

type Asked = Pick<AnswerOf<"GET /requests/:id">["data"], "method" | "path" | "headers" | "body">;

const SECRETS = "token|code|state|nonce|client_id|client_secret|secret_key|publishable_key|password_digest";
/** A redacted value of an address or of JSON, with the name of what it is. */
const REDACTED = new RegExp(`(?<=[?&](${SECRETS})=)\\[redacted\\]|(?<="(${SECRETS})":")\\[redacted\\]`, "g");

/**
 * A command that repeats a request. The key stays in the environment, so that the command can be shared, and so does what was
 * redacted: a token is `$TOKEN`.
 */
export function asCurl({ method, path, headers, body }: Asked, origin: string): string {
  const isPublishable = headers["x-service-publishable-key"] !== undefined;
  const ofProduct = isPublishable ? "publishable" : "secret";
  const isKeyed = path.startsWith("/api/");
  return curlCommand({
    method,
    url: origin + path,
    // An instance is at a name of its own, which this machine may not resolve.
    host: headers["host"] === new URL(origin).host ? undefined : headers["host"],
    key: isKeyed ? ofProduct : path.startsWith("/__svc/v1/") ? "control" : undefined,
    body: body ?? undefined,
    variables: REDACTED,
  });
}

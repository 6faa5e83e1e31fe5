/** A text in quotes, as bash, dash, zsh and fish take it: none of them replaces anything in it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The header with a key, which stays in the environment, so that a command can be shared. `svc env` prints the variables. */
const KEY_HEADERS = {
  secret: "X-Service-Secret-Key: $SVC_SECRET_KEY",
  publishable: "X-Service-Publishable-Key: $SVC_PUBLISHABLE_KEY",
  control: "Authorization: Bearer $SVC_CONTROL_KEY",
} as const;

export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** Default: that of the address. */
  readonly host?: string | undefined;
  readonly key?: keyof typeof KEY_HEADERS | undefined;
  readonly body?: string | undefined;
  /** What stands for a variable of the shell in the address and the body. Its first group that matched names it. */
  readonly variables: RegExp;
}

/** A command that repeats a request. In it only variables of the shell are replaced, by those of `variables` and the key. */
export function curlCommand({ method, url, host, key, body, variables }: CurlRequest): string {
  const parts = ["curl"];
  // curl would take brackets in an address for a range.
  if (/[[\]{}]/.test(url)) parts.push("--globoff");
  if (method === "HEAD") parts.push("--head");
  else if (method !== (body === undefined ? "GET" : "POST")) parts.push("-X", method);
  parts.push(argument(url, variables));
  if (host !== undefined) parts.push("-H", shellQuoted(`Host: ${host}`));
  if (key !== undefined) parts.push("-H", `"${KEY_HEADERS[key]}"`);
  if (body !== undefined) parts.push("-H", "'Content-Type: application/json'", "-d", argument(body, variables));
  return parts.join(" ");
}

/** In single quotes, which keep everything as it is, except for the variables. */
function argument(text: string, variables: RegExp): string {
  let written = "";
  let end = 0;
  for (const match of text.matchAll(variables)) {
    const name = match.slice(1).find((group) => group !== undefined) ?? "";
    if (match.index > end) written += shellQuoted(text.slice(end, match.index));
    written += `"$${name.toUpperCase()}"`;
    end = match.index + match[0].length;
  }
  return end < text.length ? written + shellQuoted(text.slice(end)) : written;
}

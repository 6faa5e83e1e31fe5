import type { Client } from "../../../client/client.ts";
import { errorCode, type ErrorCode } from "../../../wire/errors.ts";
import type { Fetch } from "../../../wire/http/fetch.ts";
import { parsedJson } from "../../../wire/text/json.ts";
import { isLoopbackUrl } from "../../../wire/http/address.ts";
import type { Provider } from "../../../wire/providers.ts";
import { CliError, EXIT } from "../../errors.ts";
import { inOneLine } from "../../failure.ts";
import { quoted } from "../../output/text.ts";
import { OWN_ENTRY } from "./landing.ts";

/** What every way to sign in needs. */
export interface SignIn {
  readonly client: Client;
  readonly fetch: Fetch;
  readonly provider: Provider | undefined;
  /** The instance's `redirect_uris`. Empty if it has none, or they are not known. */
  readonly redirect_uris: readonly string[];
  /** Aborted when the sign-in is over, however it ended. */
  readonly signal: AbortSignal;
}

/** The response to a step: where it redirects, or the page. */
export interface StepResponse {
  readonly status: number;
  readonly next: string | null;
  readonly text: string;
}

/** Takes one step of a sign-in as a browser would. */
export async function step(
  { fetch, signal }: Pick<SignIn, "fetch" | "signal">,
  address: string,
): Promise<StepResponse> {
  const response = await fetch(address, {
    method: "GET",
    headers: { accept: "application/json" },
    redirect: "manual",
    signal,
  });
  // A body that is not read keeps the connection, and so the process.
  const text = await response.text();
  return { status: response.status, next: absolute(response.headers.get("location"), address), text };
}

/** The address of a redirect, as it was written unless it is relative. Null if there is no redirect. */
function absolute(location: string | null, base: string): string | null {
  if (location === null || URL.canParse(location)) return location;
  return URL.canParse(location, base) ? new URL(location, base).href : null;
}

/** The error of the service's page. @param address where the sign-in was refused */
export function refused({ status, text }: StepResponse, address: string): CliError {
  const { error: said } = (parsedJson(text) ?? {}) as { error?: unknown };
  const error = typeof said === "string" ? said : text.slice(0, 200);
  const hint = hintFor(errorCode(status, { error }), address);
  return new CliError(EXIT.failed, `The service refused the sign-in: ${inOneLine(error)}.`, hint);
}

function hintFor(code: ErrorCode | undefined, address: string): string | undefined {
  const [, subdomain = "<instance>"] = /^(?!api\.)([a-z0-9-]+)\.localhost$/.exec(new URL(address).hostname) ?? [];
  const update = `svc dev instances update ${subdomain}`;
  if (code === "invalid_redirect_uri" && isLoopbackUrl(address))
    return `To allow this command on any port: ${update} --redirect-uri ${quoted(OWN_ENTRY)}. This replaces the list: repeat the flag for each entry to keep.`;
  if (code === "invalid_redirect_uri")
    return `Add "${OWN_ENTRY}" to the instance's redirect_uris, which allows this command on any port. Or sign in from your application.`;
  if (code !== "instance_not_found") return undefined;
  return isLoopbackUrl(address)
    ? `It may not be active: svc instances list shows that. To activate it: ${update} --active`
    : "It may not be active, or be at another address. Check the address with: svc whoami";
}

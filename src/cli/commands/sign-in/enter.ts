import type { Fetch } from "../../../wire/fetch.ts";
import { parsedJson } from "../../../wire/json.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import type { Landing } from "./landing.ts";

const MAX_HOPS = 5;
const ASK = { method: "GET", headers: { accept: "application/json" }, redirect: "manual" } as const;

/**
 * Starts the sign-in as a browser would, so that a refusal is reported here. With an account it continues through
 * simulated providers, which then need no browser, and through no others.
 * @returns whether the landing page was reached
 */
export async function enter(
  url: string,
  landing: Landing,
  account: string | undefined,
  fetch: Fetch,
): Promise<boolean> {
  let address = url;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const response = await fetch(address, ASK);
    const next = response.headers.get("location");
    const text = await response.text();
    if (next === null && hop === 0)
      throw new CliError(EXIT.failed, `The service refused the sign-in: ${errorOf(text)}.`, hintOf(text, landing.url));
    if (next === null || account === undefined) return false;
    if (next.startsWith(landing.url)) {
      landing.receive(new URL(next));
      return true;
    }
    if (!isOwnStep(next, url)) return false;
    if (new URL(next).searchParams.has("request")) {
      await cancel(next, fetch);
      throw new CliError(
        EXIT.notFound,
        `The simulated provider has no account "${account}".`,
        "Use a persona of the seed, such as ada, or an e-mail address; or omit --as to choose in the browser.",
      );
    }
    address = next;
  }
  return false;
}

/** Ends the sign-in at the account picker, so that it does not stay open. */
async function cancel(picker: string, fetch: Fetch): Promise<void> {
  const { headers } = await fetch(`${picker}&cancel=1`, ASK);
  const callback = headers.get("location");
  if (callback !== null) await fetch(callback, ASK);
}

/** Whether an address is a step of the service itself, which needs no browser; its simulator may be at the front door. */
function isOwnStep(next: string, url: string): boolean {
  const { hostname, port, pathname } = new URL(next);
  const own = new URL(url);
  const isOwn = port === own.port && (hostname === own.hostname || own.hostname.endsWith(`.${hostname}`));
  return isOwn && /^\/(__svc\/simulator|oauth)\//.test(pathname);
}

function errorOf(text: string): string {
  const { error } = (parsedJson(text) ?? {}) as { error?: string };
  return error ?? text.slice(0, 200);
}

function hintOf(text: string, landing: string): string | undefined {
  return text.includes("Invalid redirect_uri")
    ? `The instance only redirects to its redirect_uris, and this command listens on ${landing}. Sign in from your application, or add "http://127.0.0.1${new URL(landing).pathname}" to redirect_uris.`
    : undefined;
}

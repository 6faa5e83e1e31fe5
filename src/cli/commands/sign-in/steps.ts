import type { Client } from "../../../client/client.ts";
import { errorCode, type ErrorCode } from "../../../wire/errors.ts";
import { isLoopbackUrl, urlFrom } from "../../../http/address.ts";
import type { Fetch } from "../../../http/fetch.ts";
import type { AccountChoices } from "../../../wire/outcomes.ts";
import { providerTitle, type Provider } from "../../../wire/providers.ts";
import { addressIn, ANY_ADDRESS, exampleOf } from "../../../wire/redirect-uri.ts";
import { parsedJson } from "../../../text/json.ts";
import { UsageError, CliError, EXIT } from "../../errors.ts";
import { inOneLine } from "../../failure.ts";
import { quoted } from "../../output/text.ts";
import { OWN_ENTRY, tokenOf } from "./landing.ts";

const MAX_STEPS = 6;

/**
 * Signs in through a simulated provider, taking each step as a browser would. The redirect URI is one that the instance
 * allows, and is not asked: the token is in its address.
 * @param account a persona's id, or any e-mail address
 * @throws {CliError} if the account does not exist, the provider is a real one, or the sign-in fails
 */
export async function signInAs(signIn: SignIn, account: string): Promise<string> {
  const { client, provider, redirect_uris } = signIn;
  const [listed = ANY_ADDRESS] = redirect_uris;
  const redirectUri = exampleOf(listed === ANY_ADDRESS ? OWN_ENTRY : (redirect_uris.find(addressIn) ?? listed));
  const start = await client.signInUrl({ redirectUri, loginHint: account, ...(provider && { provider }) });
  let address = start;
  for (let count = 0; count < MAX_STEPS; count++) {
    const answer = await step(signIn, address);
    const next = answer.next ?? (await chooseAccount(signIn, pickerOf(address, answer), account));
    if (pathOf(next) === pathOf(redirectUri)) return tokenOf(new URL(next));
    if (!isOwnStep(next, start))
      throw new UsageError(
        `--as is for simulated providers, and this sign-in continues at ${new URL(next).host}.`,
        "Omit --as to sign in with a browser, or simulate all providers: svc serve --providers simulated",
      );
    address = next;
  }
  throw new CliError(EXIT.failed, "The service redirects in a loop.");
}

/** Where the choices of an account picker lead. @throws {CliError} if the answer is not one */
function pickerOf(address: string, answer: StepResponse): string {
  const { url } = (parsedJson(answer.text) ?? {}) as Partial<AccountChoices>;
  const isChoice = typeof url === "string" && urlFrom(url) !== undefined && isPicker(address) && isPicker(url);
  if (!isChoice || new URL(url).origin !== new URL(address).origin) throw stepRefused(answer, address);
  return url;
}

/**
 * Types an address into the account picker, as a person may who is not in the seed.
 * @returns the address at which the sign-in continues
 */
async function chooseAccount(signIn: SignIn, picker: string, account: string): Promise<string> {
  const isEmail = /^[^\s@]+@[^\s@]+$/.test(account);
  const chosen = isEmail ? await step(signIn, `${picker}&email=${encodeURIComponent(account)}`) : undefined;
  if (chosen?.next) return chosen.next;
  // Ends the sign-in, and records why. Cancelling it would record that a user declined.
  await step(signIn, `${picker}&login_hint=${encodeURIComponent(account)}`);
  const provider = providerTitle(/\/simulator\/(\w+)\//.exec(picker)?.[1] ?? "provider");
  throw new CliError(
    EXIT.notFound,
    `The simulated ${provider} has no account "${account}".`,
    isEmail
      ? `This person of the seed has no account at ${provider}. Use another --provider, or another address.`
      : "Use the id of a persona of the seed, or any e-mail address. To choose from a list: svc sign-in",
  );
}

function isPicker(address: string): boolean {
  return new URL(address).pathname.startsWith("/__svc/simulator/");
}

/** Whether an address is a step of the service itself; its simulator may be at the front door. */
function isOwnStep(next: string, start: string): boolean {
  const { hostname, port, pathname } = new URL(next);
  const own = new URL(start);
  const isOwn = port === own.port && (hostname === own.hostname || own.hostname.endsWith(`.${hostname}`));
  return isOwn && /^\/(__svc\/simulator|oauth)\//.test(pathname);
}

function pathOf(address: string): string | undefined {
  return address.split("?")[0];
}

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

/** Takes one step of a sign-in as a browser would. @returns where it redirects, and the page */
export async function step({ fetch, signal }: SignIn, address: string) {
  const headers = { accept: "application/json" };
  const response = await fetch(address, { method: "GET", headers, redirect: "manual", signal });
  // A body that is not read keeps the connection, and so the process.
  const text = await response.text();
  return { status: response.status, next: absolute(response.headers.get("location"), address), text };
}
type StepResponse = Awaited<ReturnType<typeof step>>;

/** The address of a redirect, as it was written unless it is relative. Null if there is no redirect. */
function absolute(location: string | null, base: string): string | null {
  if (location === null || urlFrom(location)) return location;
  return urlFrom(location, base)?.href ?? null;
}

/** The error of the service's page. @param address where the sign-in was refused */
export function stepRefused({ status, text }: StepResponse, address: string): CliError {
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
    ? `It may not be active, or its publishable key was replaced: svc instances list shows both. To activate it: ${update} --active`
    : "It may not be active, or be at another address. Check the address with: svc whoami";
}

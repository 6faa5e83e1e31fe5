import { ServeError } from "../server/errors.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { Page, Browser, BrowserContext } from "@playwright/test";
import type { Provider } from "../wire/providers.ts";
import { type OutcomeId, BROWSER_COOKIE } from "../wire/outcomes.ts";
import { ControlError, type Flow, type TestService } from "./index.ts";
import { meetingsOf, wonBy, type FlowFilter } from "./flows.ts";
import type { NewScenario } from "./scenarios.ts";
import { checkKitOptions } from "./options.ts";
import { TOKEN_LIFETIME_SECONDS } from "../wire/claims.ts";

/**
 * The server that all workers use, if the environment names one.
 * @throws {ServeError} for an address without a key, and a key without an address
 */
export function sharedServer(
  env: Readonly<Record<string, string | undefined>>,
): { readonly url: string; readonly controlKey: string } | undefined {
  const { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: controlKey } = env;
  if (url !== undefined && controlKey !== undefined) return { url, controlKey };
  if (url === undefined && controlKey === undefined) return undefined;
  const [set, missing] = url === undefined ? ["KEY", "URL"] : ["URL", "KEY"];
  throw new ServeError(
    `SVC_CONTROL_${set} is set without SVC_CONTROL_${missing}. Set both to share a server, or neither to start one for each worker.`,
  );
}

export interface SignInAsOptions {
  /** How the sign-in ends. Default `success`. */
  readonly outcome?: OutcomeId | undefined;
  /** How long the provider takes: at the authorize page, or `{ token: 12000 }`. */
  readonly delay_ms?: NewScenario["delay_ms"] | undefined;
  /** Only a sign-in with this provider. Default: the one that the application asks for. */
  readonly provider?: Provider | undefined;
  /** The path at which the application begins a sign-in. Default: the fixture `signInPath`. */
  readonly path?: string | undefined;
  /** Begins the sign-in in place of opening `path`, e.g. by a click. */
  readonly start?: (() => Promise<unknown>) | undefined;
}

/**
 * Signs the page in as an account, by its persona's id or e-mail address. A scenario that the test has set up decides first:
 * `data.scenario` names the one that did.
 * @returns the sign-in with its steps, as it ended
 * @throws {ServeError} for an unknown option @throws {Error} if the page began no sign-in that matches, or none that ended
 */
export type SignInAs = (page: Page, account: string, options?: SignInAsOptions) => Promise<Flow>;

const OPTIONS = ["outcome", "delay_ms", "provider", "path", "start"] satisfies (keyof SignInAsOptions)[];
const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 10_000;

/**
 * @param signInPath the path at which the application begins a sign-in
 * @param patienceMs how long a sign-in may take
 */
export function createSignInAs(svc: TestService, signInPath: string, patienceMs = PATIENCE_MS): SignInAs {
  return async (page, account, options = {}) => {
    checkKitOptions("signInAs", options, OPTIONS);
    const { outcome = "success", delay_ms, provider, path = signInPath, start } = options;
    const before = await svc.flows.latest();
    const scenario = await svc.scenarios.next({ as: account, outcome, delay_ms, ...(provider && { provider }) });
    const since = { newer_than: before?.id, browser: scenario.data.match.browser };
    if (start) {
      await start();
      return ended(svc, scenario.id, since, "start", patienceMs);
    }
    const response = await page.goto(path);
    const begun = response ? `${path}, which answered ${response.status()},` : path;
    return ended(svc, scenario.id, since, begun, patienceMs);
  };
}

/**
 * The sign-in of the test's browser, when it is over. A scenario of the test's own may have decided it.
 * @param begun what should have begun it
 */
async function ended(
  svc: TestService,
  scenario: string,
  since: FlowFilter,
  begun: string,
  patienceMs: number,
): Promise<Flow> {
  for (const until = performance.now() + patienceMs; ; await delay(LOOK_EVERY_MS)) {
    const made = await svc.flows.list(since);
    const flow = wonBy(made, scenario);
    if (flow && flow.data.result !== "open") {
      // Otherwise the next sign-in would meet it.
      if (flow.data.scenario?.id !== scenario)
        await svc.control.request("DELETE /scenarios/:id", { params: { id: scenario } });
      return flow;
    }
    if (performance.now() < until) continue;
    // Says why each sign-in that did begin was another one.
    if (meetingsOf(made, scenario).length > 0) await svc.scenarios.assertMet();
    const within = `within ${patienceMs / 1000} s`;
    const message = flow
      ? `The sign-in did not end ${within}. Its last step: ${flow.data.steps.at(-1)?.name ?? "none"}.`
      : `${begun} began no sign-in ${within}. Pass the path at which the application begins one, or start.`;
    throw new ControlError("timeout", undefined, message);
  }
}

export type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/**
 * What a browser that is signed in has stored. Signs in once for a worker, and again when the token has expired or its user
 * is gone.
 * @throws {Error} if the sign-in fails
 */
export type StorageStateFor = (
  account: string,
  options?: Pick<SignInAsOptions, "provider" | "path">,
) => Promise<StorageState>;

interface Entry {
  readonly state: StorageState;
  readonly userId: string;
  /** In milliseconds since 1970, by the service's clock. */
  readonly signedInAt: number;
}

export interface BrowserSignInDeps {
  readonly svc: TestService;
  readonly browser: Browser;
  readonly baseURL: string | undefined;
  readonly signInAs: SignInAs;
}

const EMPTY: StorageState = { cookies: [], origins: [] };

/** The states of browsers that are signed in, kept for a worker. */
export class SignedIn {
  readonly #entries = new Map<string, Entry>();

  async storageState(
    deps: BrowserSignInDeps,
    account: string,
    options: Pick<SignInAsOptions, "provider" | "path">,
  ): Promise<StorageState> {
    checkKitOptions("storageStateFor", options, ["provider", "path"]);
    const name = JSON.stringify([deps.baseURL, account, options.provider, options.path]);
    const before = this.#entries.get(name);
    if (before && (await isGood(deps.svc, before))) return before.state;
    const entry = await signIn(deps, account, options);
    this.#entries.set(name, entry);
    return entry.state;
  }
}

async function isGood({ clock, users }: TestService, { userId, signedInAt }: Entry): Promise<boolean> {
  const age = clock.now().getTime() - signedInAt;
  if (age < 0 || age >= TOKEN_LIFETIME_SECONDS * 1000) return false;
  try {
    await users.get(userId);
    return true;
  } catch (error) {
    if (error instanceof ControlError && error.status === 404) return false;
    throw error;
  }
}

async function signIn(
  { svc, browser, baseURL, signInAs }: BrowserSignInDeps,
  account: string,
  options: Pick<SignInAsOptions, "provider" | "path">,
): Promise<Entry> {
  const context = await browser.newContext({ storageState: EMPTY, ...(baseURL !== undefined && { baseURL }) });
  try {
    const signedInAt = svc.clock.now().getTime();
    const { data } = await signInAs(await context.newPage(), account, options);
    if (data.user_id === null) throw new Error(`${account} could not sign in: ${data.error}. ${data.reason ?? ""}`);
    const { cookies, ...rest } = await context.storageState();
    // It belongs to a test, not to the signed-in user.
    const state = { ...rest, cookies: cookies.filter((cookie) => cookie.name !== BROWSER_COOKIE) };
    return { state, userId: data.user_id, signedInAt };
  } finally {
    await context.close();
  }
}

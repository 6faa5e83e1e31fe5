import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "@playwright/test";
import type { Provider } from "../../wire/providers.ts";
import type { OutcomeId } from "../../wire/outcomes.ts";
import { ControlError, type Flow, type TestService } from "../index.ts";
import { checkOptions } from "../options.ts";

export interface SignInAsOptions {
  /** How the sign-in ends. Default `success`. */
  readonly outcome?: OutcomeId | undefined;
  /** Only a sign-in with this provider. Default: the one that the application asks for. */
  readonly provider?: Provider | undefined;
  /** The path at which the application begins a sign-in. Default: the fixture `signInPath`. */
  readonly path?: string | undefined;
  /** Begins the sign-in in place of opening `path`, e.g. by a click. */
  readonly start?: (() => Promise<unknown>) | undefined;
}

/**
 * Signs the page in as an account, by its persona's id or e-mail address.
 * @returns the sign-in with its steps, as it ended
 * @throws {ServeError} for an unknown option @throws {Error} if the page began no sign-in that matches, or none that ended
 */
export type SignInAs = (page: Page, account: string, options?: SignInAsOptions) => Promise<Flow>;

const OPTIONS = ["outcome", "provider", "path", "start"] satisfies (keyof SignInAsOptions)[];
const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 10_000;

/**
 * @param signInPath the path at which the application begins a sign-in
 * @param patienceMs how long a sign-in may take
 */
export function createSignInAs(svc: TestService, signInPath: string, patienceMs = PATIENCE_MS): SignInAs {
  return async (page, account, options = {}) => {
    checkOptions("signInAs", options, OPTIONS);
    const { outcome = "success", provider, path = signInPath, start } = options;
    const { id } = await svc.scenarios.next({ as: account, outcome, ...(provider && { provider }) });
    if (start) {
      await start();
      return ended(svc, id, "start", patienceMs);
    }
    const response = await page.goto(path);
    return ended(svc, id, response ? `${path}, which answered ${response.status()},` : path, patienceMs);
  };
}

/** The sign-in that met a scenario, when it is over. @param begun what should have begun it */
async function ended(svc: TestService, scenario: string, begun: string, patienceMs: number): Promise<Flow> {
  for (const until = performance.now() + patienceMs; ; await delay(LOOK_EVERY_MS)) {
    const flows = await svc.flows.list();
    const flow = flows.find(({ data }) =>
      data.considered.some((one) => one.scenario === scenario && one.because === "matched"),
    );
    if (flow && flow.data.result !== "open") return flow;
    if (performance.now() < until) continue;
    // Says why each sign-in that did begin was another one.
    if (flows.some(({ data }) => data.considered.some((one) => one.scenario === scenario)))
      await svc.scenarios.assertMet();
    const within = `within ${patienceMs / 1000} s`;
    const message = flow
      ? `The sign-in did not end ${within}. Its last step: ${lastStep(flow)}.`
      : `${begun} began no sign-in ${within}. Pass the path at which the application begins one, or start.`;
    throw new ControlError("timeout", undefined, message);
  }
}

function lastStep(flow: Flow): string {
  return flow.data.steps.at(-1)?.name ?? "none";
}

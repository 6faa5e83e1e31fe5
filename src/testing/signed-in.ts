import { randomUUID } from "node:crypto";
import { ControlError, type ControlClient } from "../control-client/index.ts";
import { ServeError } from "../server/errors.ts";
import { BROWSER_COOKIE } from "../wire/outcomes.ts";
import type { Provider } from "../wire/providers.ts";
import { KitAgent, type AgentService, type Followed } from "./agent.ts";
import type { Reach } from "./application.ts";
import { meetingsOf, wonBy, type Flow, type TestFlows } from "./flows.ts";
import { checkKitOptions, withEdits } from "./options.ts";
import type { TestInstances } from "./stored.ts";
import type { NewScenario } from "./scenarios.ts";
import { urlFrom } from "../http/address.ts";

export interface SignInToOptions extends Pick<NewScenario, "as" | "outcome" | "delay_ms" | "profile" | "omit"> {
  /** Only a sign-in with this provider. Default: the one that the application asks for. */
  readonly provider?: Provider | undefined;
  /** The path at which the application begins a sign-in. Default `/sign-in`. */
  readonly path?: string | undefined;
  /** Where an application in this process is. Default: the origin of the instance's first redirect_uri, or http://localhost:3000. */
  readonly origin?: string | undefined;
}

/** A caller of an application that keeps its cookies, as a browser does. */
export interface SignedInAgent {
  /** Calls the application, with a path or an address of it. Follows redirects within it, and returns one that leaves it. */
  readonly fetch: (input: string | URL, init?: RequestInit) => Promise<Response>;
  /** `{ cookie }` for other callers, such as supertest's `set`. Without a cookie, `{ authorization }` with the token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly { readonly name: string; readonly value: string }[];
  /** What the service sent the application back. Undefined if the sign-in failed. */
  readonly token: string | undefined;
  /** The application's answer at the end of the sign-in. */
  readonly response: Response;
  /** The sign-in with its steps, as it ended. `flow.data.scenario` is the one that decided it: the test's own comes first. */
  readonly flow: Flow;
}

/** What it needs of a test service. */
interface Service extends AgentService {
  readonly instances: TestInstances;
  readonly control: ControlClient;
  readonly flows: TestFlows;
}

const OPTIONS = [
  "as",
  "outcome",
  "delay_ms",
  "profile",
  "omit",
  "provider",
  "path",
  "origin",
] satisfies (keyof SignInToOptions)[];

/** @param reach the application */
export async function signInTo(svc: Service, reach: Reach, options: SignInToOptions = {}): Promise<SignedInAgent> {
  checkKitOptions("signInTo", options, OPTIONS, 'signInTo(app, { as: "ada" })');
  const { as, provider, path = "/sign-in", outcome = "success", delay_ms, profile, omit } = options;
  const origin = originOf(svc, reach, options.origin);
  const { id: browser, cookies } = await svc.control.request("POST /browsers", { body: {} });
  const scenario = await svc.control.request("POST /scenarios", {
    body: {
      match: { browser, ...(provider && { provider }) },
      label: `signInTo ${randomUUID()}`,
      ...withEdits("profile", { as, outcome, delay_ms, profile, omit }),
    },
  });
  const agent = new KitAgent(svc, reach, origin);
  for (const { name, value } of cookies) if (name === BROWSER_COOKIE) agent.service.set(name, value);
  try {
    const followed = await agent.follow(new URL(path, origin), {});
    const { response, elsewhere } = followed;
    if (elsewhere) throw new ControlError("unknown", undefined, elsewhere);
    const flow = await flowOf(svc, browser, scenario.id);
    if (!flow) throw new ControlError("unknown", undefined, await whyNone(path, followed));
    return {
      fetch: async (input, init = {}) => (await agent.follow(agent.inApplication(input), init)).response,
      get headers() {
        const { header } = agent.application;
        if (header !== undefined) return { cookie: header };
        return agent.token === undefined ? {} : { authorization: `Bearer ${agent.token}` };
      },
      get cookies() {
        return agent.application.list;
      },
      token: agent.token,
      response,
      flow,
    };
  } finally {
    await svc.control.request("DELETE /scenarios/:id", { params: { id: scenario.id } });
  }
}

function originOf({ instances }: Service, reach: Reach, given: string | undefined): string {
  if (reach.origin !== undefined) return reach.origin;
  const address = given ?? instances[0].redirect_uris.find((entry) => urlFrom(entry)) ?? "http://localhost:3000";
  const url = urlFrom(address);
  if (url) return url.origin;
  throw new ServeError(`origin is not an address: "${address}". Write origin: "http://localhost:3000".`);
}

/** The sign-in of the browser. @throws {ControlError} if it met no scenario, with the reason */
async function flowOf({ flows }: Service, browser: string, scenario: string): Promise<Flow | undefined> {
  const made = await flows.list({ browser });
  const won = wonBy(made, scenario);
  if (won) return won;
  const [other] = meetingsOf(made, scenario);
  if (other) throw new ControlError("unknown", undefined, `The application began another sign-in: ${other.because}.`);
  return undefined;
}

async function whyNone(path: string, { response, isService }: Followed): Promise<string> {
  if (isService) return `The service refused the sign-in that ${path} began: ${await errorIn(response)}`;
  const hint = 'Pass the path at which the application begins one: signInTo(app, { path: "/login" }).';
  return `${path}, which answered ${response.status}, began no sign-in. ${hint}`;
}

async function errorIn(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: string };
  return error;
}

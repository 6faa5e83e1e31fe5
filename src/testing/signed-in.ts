import { randomUUID } from "node:crypto";
import { ControlError, type ControlClient } from "../control-client/index.ts";
import type { TestClock } from "./clock.ts";
import type { TestInstances, TestTokens } from "./records.ts";
import { ServeError } from "../server/errors.ts";
import type { Provider } from "../wire/providers.ts";
import { BROWSER_COOKIE } from "../wire/outcomes.ts";
import type { NewScenario } from "./scenarios.ts";
import { meetingsOf, wonBy, type Flow, type TestFlows } from "./flows.ts";
import { withEdits, checkOptions } from "./options.ts";
import { type Reach, Cookies } from "./application.ts";
import { isUuid } from "../wire/ids.ts";
import type { AnswerOf, BodyOf } from "../wire/control/types.ts";

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
interface Service {
  readonly url: string;
  readonly instances: TestInstances;
  readonly control: ControlClient;
  readonly fetch: typeof globalThis.fetch;
  readonly flows: TestFlows;
  readonly clock: TestClock;
  readonly tokens: TestTokens;
  signIn(options: NonNullable<BodyOf<"POST /sign-ins">>): Promise<AnswerOf<"POST /sign-ins">>;
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
const MOST_REDIRECTS = 20;

/** @param reach the application */
export async function signInTo(svc: Service, reach: Reach, options: SignInToOptions = {}): Promise<SignedInAgent> {
  checkOptions("signInTo", options, OPTIONS, 'signInTo(app, { as: "ada" })');
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
  const agent = new Agent(svc, reach, origin);
  for (const { name, value } of cookies) if (name === BROWSER_COOKIE) agent.service.set(name, value);
  try {
    const { response, elsewhere } = await agent.follow(new URL(path, origin), {});
    if (elsewhere) throw new ControlError("unknown", undefined, elsewhere);
    const flow = await flowOf(svc, browser, scenario.id);
    if (!flow) {
      const began = `${path}, which answered ${response.status}, began no sign-in.`;
      const hint = 'Pass the path at which the application begins one: signInTo(app, { path: "/login" }).';
      throw new ControlError("unknown", undefined, `${began} ${hint}`);
    }
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

/** Walks between an application and the service. */
class Agent {
  readonly application = new Cookies();
  readonly service = new Cookies();
  token: string | undefined;
  readonly #svc: Service;
  readonly #reach: Reach;
  #origin: string;

  constructor(svc: Service, reach: Reach, origin: string) {
    this.#svc = svc;
    this.#reach = reach;
    this.#origin = origin;
  }

  inApplication(input: string | URL): URL {
    const url = new URL(input, this.#origin);
    if (url.origin === this.#origin) return url;
    throw new ServeError(`${url.origin} is not the application, which is at ${this.#origin}. Pass a path of it.`);
  }

  /**
   * @returns the first answer that is no redirect, or one that leaves application and service, with `elsewhere`, which says
   * where to
   */
  async follow(start: URL, init: RequestInit): Promise<{ response: Response; elsewhere?: string }> {
    let [url, next] = [start, init];
    for (let hop = 0; ; hop++) {
      const isService = this.#isService(url);
      const response = await this.#send(url, next, isService);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null || init.redirect === "manual") return { response };
      if (hop === MOST_REDIRECTS)
        throw new ControlError("unknown", undefined, `${start.pathname} redirects more than ${MOST_REDIRECTS} times.`);
      url = new URL(location, url);
      if (isService && !this.#isService(url)) {
        // An application in this process is where it asked the service to return to.
        if (this.#reach.origin === undefined) this.#origin = url.origin;
        this.token = url.searchParams.get("token") ?? undefined;
      }
      if (!this.#isService(url) && url.origin !== this.#origin)
        return { response, elsewhere: this.#elsewhere(start, url, isService) };
      if (response.status !== 307 && response.status !== 308) next = withoutBody(next);
    }
  }

  async #send(url: URL, init: RequestInit, isService: boolean): Promise<Response> {
    const jar = isService ? this.service : this.application;
    const headers = new Headers(isService ? undefined : init.headers);
    if (isService) headers.set("accept", "application/json");
    if (jar.header !== undefined) headers.set("cookie", jar.header);
    const sent: RequestInit = isService ? { headers, redirect: "manual" } : { ...init, headers, redirect: "manual" };
    const response = await (isService ? this.#svc.fetch(url, sent) : this.#reach.send(url, sent));
    jar.keep(response, this.#svc.clock.now().getTime());
    return response;
  }

  #isService({ host }: URL): boolean {
    const own = new URL(this.#svc.url).host;
    return host === own || host.endsWith(`.${own}`);
  }

  #elsewhere(start: URL, { origin }: URL, isFromService: boolean): string {
    return isFromService
      ? `The application asked the service to return to ${origin}, but it is at ${this.#origin}. Give it a redirectUri there.`
      : `${start.pathname} redirects to ${origin}, which is neither the application nor this service. Give the application baseUrl: svc.instances[0].url.`;
  }
}

function originOf({ instances }: Service, reach: Reach, given: string | undefined): string {
  if (reach.origin !== undefined) return reach.origin;
  const address = given ?? instances[0].redirect_uris.find((entry) => URL.canParse(entry)) ?? "http://localhost:3000";
  if (URL.canParse(address)) return new URL(address).origin;
  throw new ServeError(`origin is not an address: "${address}". Write origin: "http://localhost:3000".`);
}

function withoutBody({ headers, redirect, signal }: RequestInit): RequestInit {
  const kept = new Headers(headers);
  kept.delete("content-type");
  kept.delete("content-length");
  return { headers: kept, ...(redirect && { redirect }), ...(signal && { signal }) };
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

export interface CredentialsOptions {
  /** The name of the cookie in which the application keeps the token. Default: it takes `Authorization: Bearer`. */
  readonly cookie?: string | undefined;
  readonly provider?: Provider | undefined;
}

/** What a signed-in caller sends. */
export interface Credentials {
  readonly token: string;
  readonly user_id: string;
  /** `{ authorization }`, or `{ cookie }` with the option. */
  readonly headers: Readonly<Record<string, string>>;
  /** The cookie, if the option names one. */
  readonly cookies: readonly { readonly name: string; readonly value: string }[];
}

export async function credentialsFor(
  svc: Service,
  user: string,
  options: CredentialsOptions = {},
): Promise<Credentials> {
  checkOptions("credentialsFor", options, ["cookie", "provider"], 'credentialsFor("ada", { cookie: "token" })');
  if (typeof user !== "string" || user === "")
    throw new ServeError('credentialsFor needs an account or a user: credentialsFor("ada").');
  const { cookie, provider } = options;
  const { token, user_id } = isUuid(user)
    ? { ...(await svc.tokens.create({ user, ...(provider && { provider }) })), user_id: user }
    : await signedIn(svc, user, provider);
  const cookies = cookie === undefined ? [] : [{ name: cookie, value: token }];
  const headers: Record<string, string> =
    cookie === undefined ? { authorization: `Bearer ${token}` } : { cookie: `${cookie}=${token}` };
  return { token, user_id, headers, cookies };
}

async function signedIn(svc: Service, as: string, provider: Provider | undefined) {
  const { token, user_id, error, error_description } = await svc.signIn({ as, provider, outcome: "success" });
  if (token !== undefined && user_id !== null) return { token, user_id };
  throw new ControlError("unknown", undefined, `${as} could not sign in: ${error}. ${error_description ?? ""}`);
}

import { ControlError } from "../control-client/index.ts";
import { ServeError } from "../server/errors.ts";
import { ApplicationCookies, type Reach } from "./application.ts";
import type { TestClock } from "./clock.ts";

const MOST_REDIRECTS = 20;

export interface Followed {
  readonly response: Response;
  /** Whether the service answered, and not the application. */
  readonly isService: boolean;
  /** Where the answer redirects to, in words, if that is neither the application nor the service. */
  readonly elsewhere?: string;
}

/** What it needs of a test service. */
export interface AgentService {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: TestClock;
}

/** Walks between an application and the service. */
export class KitAgent {
  readonly application = new ApplicationCookies();
  readonly service = new ApplicationCookies();
  token: string | undefined;
  readonly #svc: AgentService;
  readonly #reach: Reach;
  #origin: string;

  constructor(svc: AgentService, reach: Reach, origin: string) {
    this.#svc = svc;
    this.#reach = reach;
    this.#origin = origin;
  }

  inApplication(input: string | URL): URL {
    const url = new URL(input, this.#origin);
    if (url.origin === this.#origin) return url;
    throw new ServeError(`${url.origin} is not the application, which is at ${this.#origin}. Pass a path of it.`);
  }

  /** @returns the first answer that is no redirect, or one that leaves application and service */
  async follow(start: URL, init: RequestInit): Promise<Followed> {
    let [url, next] = [start, init];
    for (let hop = 0; ; hop++) {
      const isService = this.#isService(url);
      const response = await this.#send(url, next, isService);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null || init.redirect === "manual") return { response, isService };
      if (hop === MOST_REDIRECTS)
        throw new ControlError("unknown", undefined, `${start.pathname} redirects more than ${MOST_REDIRECTS} times.`);
      url = new URL(location, url);
      if (isService && !this.#isService(url)) {
        // An application in this process is where it asked the service to return to.
        if (this.#reach.origin === undefined) this.#origin = url.origin;
        this.token = url.searchParams.get("token") ?? undefined;
      }
      if (!this.#isService(url) && url.origin !== this.#origin)
        return { response, isService, elsewhere: this.#elsewhere(start, url, isService) };
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

function withoutBody({ headers, redirect, signal }: RequestInit): RequestInit {
  const kept = new Headers(headers);
  kept.delete("content-type");
  kept.delete("content-length");
  return { headers: kept, ...(redirect && { redirect }), ...(signal && { signal }) };
}

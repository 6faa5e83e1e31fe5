// Below the faces: the HTTP faces without a socket, with a clock that is moved by hand.

import { createClient, type Client, type ClientOptions } from "../src/client/index.ts";
import { createAddresses, type Addresses } from "../src/server/instances/addresses.ts";
import type { RequestEntry } from "../src/server/http/request-entry.ts";
import { nowhere } from "../src/server/sign-in/geo.ts";
import { productErrors } from "../src/server/control/openapi.ts";
import { type Credentials, createOffers } from "../src/server/providers/offers.ts";
import { parseSeed } from "../src/server/seed/parse.ts";
import { createService } from "../src/server/service.ts";
import { openMemoryStore } from "../src/server/store/memory/memory-store.ts";
import type { InstanceRecord, Records } from "../src/server/store/records.ts";
import type { Store } from "../src/server/store/store.ts";
import { PRODUCT_ROUTES, type Route } from "../src/wire/product/routes.ts";
import type { Fetch } from "../src/http/fetch.ts";
import type { Provider } from "../src/wire/providers.ts";
import type { ProvidersMode } from "../src/wire/serve.ts";
import type { RealProvider } from "./providers/_real-provider.ts";
import { REAL } from "./providers/_real.ts";

/** The front door of the service under test. */
export const FRONT = "http://localhost:7820";
/** The redirect URI of the application under test. */
export const APP = "http://localhost:3000/callback";
/** Ada's user and her active session at the instance acme. */
export const ADA = "00000000-0000-4000-8000-0000000000a1";
export const SESSION = "svc_session_00000000-0000-4000-8000-00000000a001";
/** The same person's user and session at the instance globex. */
export const ADA_OF_GLOBEX = "00000000-0000-4000-8000-0000000000b1";
export const SESSION_OF_GLOBEX = "svc_session_00000000-0000-4000-8000-00000000b001";
/** Ids that no user and no session has. */
export const NOBODY = "00000000-0000-4000-8000-00000000ffff";
export const CONTROL_KEY = "ctl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
export const START = new Date("2026-06-01T12:00:00.000Z");

/** A clock that only moves when told to. */
export class Clock {
  #time: number = START.getTime();
  readonly now = (): Date => new Date(this.#time);

  advance(seconds: number): void {
    this.#time += seconds * 1000;
  }
}

export interface SetupOptions {
  /** A seed file's content; default: `SEED`. */
  seed?: object;
  store?: Store;
  /** Default: `auto`; beyond loopback without credentials `simulated`, as every provider would be off. */
  providers?: ProvidersMode;
  credentials?: Credentials;
  /** Reaches the real providers; by default there is no network. */
  fetch?: Fetch;
  isLocal?: boolean;
  strict?: boolean;
  /** Whether there is a control API, with `CONTROL_KEY`. */
  control?: boolean;
  allowedHosts?: string[];
}

export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly addresses: Addresses;
  readonly acme: InstanceRecord;
  readonly globex: InstanceRecord;
  /** The log of requests, failed sign-ins and bugs. */
  readonly log: {
    requests: RequestEntry[];
    failures: string[];
    unlisted: string[];
    /** Every other warning. */
    warnings: string[];
    bugs: unknown[];
  };
  /** One request, redirects not followed; paths are at the front door. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The same with an instance's secret key. */
  as(instance: InstanceRecord, path: string, init?: RequestInit): Promise<Response>;
  client(instance: InstanceRecord, options?: Partial<ClientOptions>): Client;
  /** A whole sign-in through a simulated provider. @returns the address at the application */
  signIn(provider: Provider, as: string, options?: { instance?: InstanceRecord; redirect_uri?: string }): Promise<URL>;
  /** The token of a sign-in that must succeed. */
  tokenFor(provider: Provider, as: string, instance?: InstanceRecord): Promise<string>;
}

/** A persona's accounts at all providers. */
function accountsOf(persona: keyof RealProvider["accounts"]): Record<string, object> {
  return Object.fromEntries(Object.entries(REAL).map(([provider, { accounts }]) => [provider, accounts[persona]]));
}

/** Two unrelated instances, each with Ada; acme also has one user of every other kind. */
export const SEED = {
  instances: [
    {
      name: "Acme",
      subdomain: "acme",
      publishable_key: "pk_acme_0123456789",
      secret_key: "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz",
      users: [
        {
          id: "00000000-0000-4000-8000-0000000000a1",
          email: "ada@acme.test",
          name: "Ada Lovelace",
          email_verified_at: "2026-01-05T09:00:00Z",
          created_at: "2026-01-05T09:00:00Z",
          identities: [{ provider: "google", uid: "1001", email_verified: true }],
          sessions: [
            {
              session_id: "svc_session_00000000-0000-4000-8000-00000000a001",
              provider: "google",
              ip_address: "203.0.113.7",
              logged_in_at: "2026-05-01T08:00:00Z",
            },
            {
              session_id: "svc_session_00000000-0000-4000-8000-00000000a002",
              provider: "github",
              ip_address: "198.51.100.23",
              logged_in_at: "2026-03-11T17:40:00Z",
              revoked_at: "2026-03-12T08:00:00Z",
            },
          ],
        },
        {
          id: "00000000-0000-4000-8000-0000000000a2",
          email: "charles@acme.test",
          name: "Charles Babbage",
          created_at: "2025-12-24T18:00:00Z",
          password_digest: "digest-nobody-may-see",
          sessions: [
            {
              session_id: "svc_session_00000000-0000-4000-8000-00000000a003",
              provider: "password",
              ip_address: "192.0.2.44",
              logged_in_at: "2025-12-24T18:00:00Z",
            },
          ],
        },
        {
          id: "00000000-0000-4000-8000-0000000000a3",
          email: "grace@navy.test",
          name: "Grace Hopper",
          created_at: "2026-02-14T12:30:00Z",
          identities: [{ provider: "github", uid: "2101", email_verified: true }],
        },
      ],
    },
    {
      name: "Globex",
      subdomain: "globex",
      publishable_key: "pk_globex_0123456789",
      secret_key: "sk_globex_0123456789abcdefghijklmnopqrstuvwxyz",
      default_provider: "github",
      redirect_uris: [APP],
      users: [
        {
          id: "00000000-0000-4000-8000-0000000000b1",
          email: "ada@acme.test",
          name: "Ada of Globex",
          email_verified_at: "2026-04-02T10:00:00Z",
          created_at: "2026-04-02T10:00:00Z",
          identities: [{ provider: "google", uid: "1001", email_verified: true }],
          sessions: [
            {
              session_id: "svc_session_00000000-0000-4000-8000-00000000b001",
              provider: "google",
              ip_address: "203.0.113.7",
              logged_in_at: "2026-04-02T10:00:00Z",
            },
          ],
        },
      ],
    },
  ],
  personas: [
    {
      id: "ada",
      name: "Ada Lovelace",
      email: "ada@acme.test",
      ...accountsOf("ada"),
    },
    {
      id: "alan",
      name: "Alan Turing",
      email: "alan@bletchley.test",
      ...accountsOf("alan"),
    },
    {
      id: "mary",
      name: null,
      email: "mary@geneva.test",
      ...accountsOf("mary"),
    },
  ],
};

/** Every error of the product API must be in the OpenAPI document, whichever test meets it. */
function checkDocumented({ method, route, status, reason }: RequestEntry): void {
  const documented = PRODUCT_ROUTES[`${method} ${route}` as Route];
  if (!documented || status < 400) return;
  const sentences = productErrors(documented).get(status)?.split("; ") ?? [];
  if (!sentences.some((sentence) => reason?.startsWith(sentence)))
    throw new Error(
      `${method} ${route} returned ${status} ${reason}, which its row in wire/product/routes.ts does not list`,
    );
}

/** A fresh service in this process, with no socket and no network. */
export async function setup(options: SetupOptions = {}): Promise<Service> {
  const { isLocal = true, credentials = {} } = options;
  const { providers: mode = isLocal || options.credentials ? "auto" : "simulated" } = options;
  const clock = new Clock();
  const store = options.store ?? openMemoryStore();
  const records: Records = parseSeed(JSON.stringify(options.seed ?? SEED), "seed", START);
  await store.seed(records);
  const addresses = createAddresses(FRONT, 7820, options.allowedHosts);
  const log: Service["log"] = { requests: [], failures: [], unlisted: [], warnings: [], bugs: [] };
  const { app, shared } = await createService({
    store,
    control: options.control ?? false,
    controlKey: CONTROL_KEY,
    addresses,
    isLocal,
    strict: options.strict,
    locate: nowhere,
    offers: createOffers({ mode, globals: credentials, isLocal }),
    credentials,
    fetch: options.fetch ?? (() => Promise.reject(new Error("there is no network in tests"))),
    now: clock.now,
    onBug: (error) => log.bugs.push(error),
    warn(message) {
      const [, name, origin] = /^a program sends a user of (.+) to (.+), which /.exec(message) ?? [];
      if (name !== undefined) log.unlisted.push(`${name}: ${origin}`);
      else log.warnings.push(message);
    },
    onRequest: (entry) => {
      checkDocumented(entry);
      log.requests.push(entry);
      const { sign_in, reason } = entry;
      if (sign_in && sign_in.outcome !== "success") log.failures.push(`${sign_in.provider}: ${reason}`);
    },
  });
  const { instances } = shared;

  const send = async (path: string, init: RequestInit = {}): Promise<Response> =>
    app.fetch(new Request(new URL(path, FRONT), { redirect: "manual", ...init }));
  const signIn: Service["signIn"] = async (provider, as, { instance = instances.first!, redirect_uri = APP } = {}) => {
    const query = new URLSearchParams({ provider, redirect_uri, login_hint: as });
    let location = new URL(`/oauth/authorize?${query.toString()}`, addresses.instanceUrl(instance));
    // Authorize, provider, callback; the fourth address is the application's own.
    for (let hop = 0; hop < 3; hop++) {
      const response = await send(location.href);
      const next = response.headers.get("location");
      if (next === null) throw new Error(`${location.pathname} answered ${response.status}: ${await response.text()}`);
      location = new URL(next);
    }
    return location;
  };
  return {
    store,
    clock,
    addresses,
    acme: instances.bySubdomain("acme")!,
    globex: instances.bySubdomain("globex")!,
    log,
    fetch: send,
    as: (instance, path, init = {}) =>
      send(path, {
        ...init,
        headers: { "x-service-secret-key": instance.secret_key, ...(init.headers as Record<string, string>) },
      }),
    client: (instance, more) =>
      createClient({
        secretKey: instance.secret_key,
        publishableKey: instance.publishable_key,
        baseUrl: addresses.instanceUrl(instance),
        apiUrl: addresses.api,
        fetch: (url, init) => send(url, init) as ReturnType<Fetch>,
        ...more,
      }),
    signIn,
    async tokenFor(provider, as, instance) {
      const url = await signIn(provider, as, instance ? { instance } : {});
      const token = url.searchParams.get("token");
      if (token === null) throw new Error(`no token: ${url.search}`);
      return token;
    },
  };
}

/** The decoded header (0) or claims (1) of a token, unverified. */
export function decodePart(token: string, part: 0 | 1): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[part] ?? "", "base64url").toString()) as Record<string, unknown>;
}

export function encodePart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

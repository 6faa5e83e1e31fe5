// Below the faces: a store that fails, and connections that are used up, are given to the service.

import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_CODES, isServiceError, type ClientOptions, type ErrorCode, type Fetch } from "../../src/client/index.ts";
import { beginSignIn, finishSignIn } from "../../src/client/sign-in.ts";
import { createConnectionLimit } from "../../src/server/http/connection-limit.ts";
import { configureServer, watch } from "../../src/server/http/connections.ts";
import { serve, type RunningServer } from "../../src/server/index.ts";
import { openMemoryStore } from "../../src/server/store/memory/memory-store.ts";
import { StorageUnavailable, type Store } from "../../src/server/store/store.ts";
import {
  ERRORS,
  errorCode,
  SIGN_IN_ERRORS,
  type ErrorCode as WireCode,
  type SignInErrorCode,
} from "../../src/wire/errors.ts";
import { answering } from "../_answering.ts";
import { caught, clientWith, forged, KEY } from "../_client.ts";
import { APP, NOBODY, setup, type Service } from "../_setup.ts";
import { claimsOf, sign } from "../_tokens.ts";

type Outcome = { status: number; body: { error: string; valid?: false } };

const outcomeOf = async (response: Response): Promise<Outcome> => ({
  status: response.status,
  body: (await response.json()) as Outcome["body"],
});
const get = async (path: string, headers?: Record<string, string>): Promise<Outcome> =>
  outcomeOf(await (await setup()).fetch(path, headers && { headers }));
const keyed = async (path: string, init?: RequestInit): Promise<Outcome> => {
  const service = await setup();
  return outcomeOf(await service.as(service.acme, path, init));
};
const verifying = async (body: unknown, type = "application/json"): Promise<Outcome> =>
  keyed("/api/v1/tokens/verify", {
    method: "POST",
    headers: { "content-type": type },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const token = async (make: (service: Service) => Promise<string>): Promise<Outcome> => {
  const service = await setup();
  const body = JSON.stringify({ token: await make(service) });
  const headers = { "content-type": "application/json" };
  return outcomeOf(await service.as(service.acme, "/api/v1/tokens/verify", { method: "POST", headers, body }));
};
/** A service whose store fails at its first use by a request. */
const withStore = async (failure: Error): Promise<Outcome> => {
  const store = openMemoryStore();
  const failing: Store = { ...store, findUser: () => Promise.reject(failure) };
  const service = await setup({ store: failing });
  return outcomeOf(await service.as(service.acme, `/api/v1/users/${NOBODY}`));
};

let server: RunningServer;
beforeAll(async () => {
  server = await serve({ port: 0, store: "memory" });
});
afterAll(() => server.close());

/** The response to these bytes on a real socket. */
const bytes = (text: string, port = server.port): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => (answer += chunk.toString())).on("error", reject);
    socket.on("close", () => {
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      resolve({ status: Number(head.split(" ")[1]), body: JSON.parse(body) as Outcome["body"] });
    });
  });

const SEARCH = "/api/v1/instances/search";
const PROVOKED: Partial<Record<WireCode, () => Promise<Outcome>>> = {
  missing_token: () => verifying({}),
  publishable_key_required: () => get(SEARCH, { "x-service-publishable-key": "pk_acme_0123456789" }),
  unauthorized: () => get("/api/v1/users"),
  missing_secret_key: () => get(`/api/v1/users/${NOBODY}`),
  token_invalid_signature: () => token(async ({ tokenFor }) => forged(await tokenFor("google", "ada"))),
  token_wrong_instance: () => token(({ tokenFor, globex }) => tokenFor("google", "ada", globex)),
  user_not_found: () => keyed(`/api/v1/users/${NOBODY}`),
  session_not_found: () => keyed(`/api/v1/sessions/svc_session_${NOBODY}`),
  instance_not_found: () => get("/sign-in?instance=nobody"),
  token_expired: () =>
    token(async ({ tokenFor, clock }) => {
      const made = await tokenFor("google", "ada");
      clock.advance(3600);
      return made;
    }),
  token_invalid: () => token(async ({ acme }) => sign(acme.secret_key, claimsOf(acme, { sub: undefined }))),
  bad_request: () => keyed("/api/v1/users?limit=0"),
  invalid_json: () => verifying("{"),
  query_required: () => keyed("/api/v1/users/search"),
  invalid_query: () => keyed("/api/v1/users/search?query=nonsense"),
  unknown_provider: () => get(`/oauth/authorize?provider=myspace&redirect_uri=${APP}`),
  provider_not_configured: async () => {
    const { fetch } = await setup({ providers: "real" });
    return outcomeOf(await fetch(`/oauth/authorize?provider=google&redirect_uri=${APP}`));
  },
  invalid_redirect_uri: () => get("/sign-in?redirect_uri=nonsense"),
  invalid_state: () => get("/oauth/google/callback?code=x&state=y"),
  cross_origin: async () => {
    const { fetch } = await setup({ control: true });
    return outcomeOf(await fetch("/__svc/v1/state", { headers: { origin: "https://evil.test" } }));
  },
  not_found: () => get("/nothing"),
  method_not_allowed: () => keyed("/api/v1/users", { method: "POST" }),
  request_timeout: async () => {
    const hasty = createServer().listen(0, "127.0.0.1");
    hasty.on("connection", (socket) => void watch(hasty, socket, true, undefined, 10));
    await once(hasty, "listening");
    const { port } = hasty.address() as AddressInfo;
    return bytes("GET / HTTP/1.1\r\nHost: localhost\r\n", port).finally(() => hasty.close());
  },
  body_too_large: () => verifying({ token: "x".repeat(65_536) }),
  unsupported_media_type: () => verifying("x", "text/plain"),
  unknown_host: () => get("http://evil.test/api/v1/users"),
  headers_too_large: () => bytes(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(40_000)}\r\n\r\n`),
  too_many_connections: async () => {
    const full = createServer().listen(0, "127.0.0.1");
    configureServer(full, createConnectionLimit({ isProxy: () => false, warn: () => undefined }, 2));
    await once(full, "listening");
    return bytes("", (full.address() as AddressInfo).port).finally(() => full.close());
  },
  internal: () => withStore(new Error("a bug")),
  storage_unavailable: () => withStore(new StorageUnavailable("the disk is full")),
};
/** Errors of the control API, or slow to provoke: other test files provoke them. */
const ELSEWHERE: WireCode[] = ["conflict", "search_too_slow", "too_many_sign_ins"];

describe("An error of the service", () => {
  it("is provoked once for every row of the table", () => {
    const codes = [...Object.keys(PROVOKED), ...ELSEWHERE];
    expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  it.each(Object.entries(PROVOKED))("has the status and the message of its row: %s", async (code, provoke) => {
    const { status, body } = await provoke();
    const row: { status: number; error: string; valid?: false } = ERRORS[code as WireCode];
    expect([status, body.error.split(": ")[0], body.valid]).toEqual([row.status, row.error, row.valid]);
    expect(errorCode(status, body)).toBe(code);
  });
});

describe("An error of the client", () => {
  const broken = (status: number, body: string, options?: Partial<ClientOptions>): Promise<unknown> =>
    caught(clientWith(answering(status, body), { retry: 0, ...options }).users.list());
  const never: Fetch = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  const inactive = { id: "1", resource: "instance", data: { publishable_key: "pk_a", url: null, subdomain: null } };
  /** What an application gets from a callback, after a sign-in that it began. */
  async function callback(urlOf: (own: string) => string, more: Record<string, string> = {}): Promise<unknown> {
    const options = { secretKey: KEY, baseUrl: "http://localhost:7820", redirectUri: "http://localhost:3000/callback" };
    const begun = await beginSignIn({ headers: {} }, options);
    if (!begun.ok) throw begun.error;
    const url = urlOf(new URL(begun.location).searchParams.get("redirect_uri")!);
    const finished = await finishSignIn({ url, headers: { cookie: begun.headers["set-cookie"], ...more } }, options);
    return finished.ok ? undefined : finished.error;
  }
  type Provoked = [code: ErrorCode, name: string, provoke: () => Promise<unknown>];
  const CLIENT: Provoked[] = [
    ["config", "ConfigError", () => caught(clientWith(answering(200, "{}")).users.get("nonsense"))],
    [
      "connection",
      "ConnectionError",
      () => caught(clientWith(() => Promise.reject(new Error("ECONNREFUSED")), { retry: 0 }).users.list()),
    ],
    ["timeout", "ConnectionError", () => caught(clientWith(never, { timeoutMs: 1 }).users.list())],
    [
      "closed",
      "ServiceError",
      async () => {
        const client = clientWith(answering(200, "[]"));
        await client.close();
        return caught(client.users.list());
      },
    ],
    ["rate_limited", "ApiError", () => broken(429, '{"error":"Slow down"}')],
    ["unavailable", "ApiError", () => broken(503, '{"error":"Out to lunch"}')],
    ["redirect_refused", "ServiceError", () => broken(302, "")],
    ["unexpected_response", "ServiceError", () => broken(200, "<html>")],
    [
      "response_too_large",
      "ServiceError",
      () => caught(clientWith(answering(200, "x".repeat((1 << 20) + 1))).users.get(NOBODY)),
    ],
    [
      "instance_inactive",
      "ServiceError",
      () => {
        const options = { baseUrl: undefined, publishableKey: "pk_a", apiUrl: "https://api.svc.test" };
        return caught(clientWith(answering(200, JSON.stringify(inactive)), options).users.list());
      },
    ],
    ["unknown", "ApiError", () => broken(418, '{"error":"I am a teapot"}')],
    ...(Object.keys(SIGN_IN_ERRORS) as SignInErrorCode[]).map((code): Provoked => [
      code,
      "SignInError",
      () => callback((own) => `${own}&error=${code}`),
    ]),
    ["sign_in_not_begun", "SignInError", () => callback(() => "/callback?token=a.b.c")],
    ["sign_in_refused", "SignInError", () => callback((own) => own, { "sec-purpose": "prefetch" })],
  ];

  it("is provoked once for every code that only the client uses", () => {
    const own = Object.keys(ERROR_CODES).filter((code) => !(code in ERRORS));
    expect(CLIENT.map(([code]) => code).toSorted()).toEqual(own.toSorted());
  });

  it.each(CLIENT)("has the code %s and the class %s", async (code, name, provoke) => {
    const error = await provoke();
    expect(isServiceError(error, code)).toBe(true);
    expect(error).toMatchObject({ name, code });
  });
});

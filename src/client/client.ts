import type { Page } from "../wire/endpoints.ts";
import type { Fetch } from "../wire/fetch.ts";
import {
  isSessionId,
  isUuid,
  PUBLISHABLE_KEY_HEADER,
  PUBLISHABLE_KEY_PREFIX,
  SECRET_KEY_HEADER,
  SECRET_KEY_PREFIX,
  type Provider,
} from "../wire/names.ts";
import type { TokenClaims } from "../wire/claims.ts";
import type { DeletedUser, Discovery, Instance, Session, User, VerifiedToken } from "../wire/resources.ts";
import { call, type Call, type CallDeps, type RequestOptions } from "./call.ts";
import { ConfigError, isServiceError, type ErrorCode } from "./errors.ts";
import { createInstanceUrl } from "./instance-url.ts";
import { createFetch } from "./transport.ts";

export interface ClientOptions {
  /** `sk_…`; for everything but `instances.resolve`. */
  readonly secretKey?: string;
  /** `pk_…`; finds the instance's address where `baseUrl` is not given. */
  readonly publishableKey?: string;
  /** {base_url} of the instance. */
  readonly baseUrl?: string;
  /** {api_url}, where a publishable key is resolved. */
  readonly apiUrl?: string;
  /** For each call, body included. Default 10,000. */
  readonly timeoutMs?: number;
  /** One to trust besides the known authorities', in PEM: that of a local server with `--https`. */
  readonly certificate?: string;
  /** In place of undici. */
  readonly fetch?: Fetch;
  readonly now?: () => number;
}

export interface Client {
  readonly users: {
    /** @throws {ApiError} `user_not_found` */
    get(id: string, options?: RequestOptions): Call<User>;
    find(id: string, options?: RequestOptions): Promise<User | undefined>;
    list(page?: Page, options?: RequestOptions): Call<User[]>;
    /** @param query e.g. `email:*@acme.com -name:bot*` @throws {ApiError} `invalid_query` */
    search(query: string, page?: Page, options?: RequestOptions): Call<User[]>;
    /** Irreversible. @throws {ApiError} `user_not_found` */
    delete(id: string, options?: RequestOptions): Call<DeletedUser>;
  };
  readonly sessions: {
    list(page?: Page, options?: RequestOptions): Call<Session[]>;
    /** @param id `svc_session_<uuid>` @throws {ApiError} `session_not_found` */
    get(id: string, options?: RequestOptions): Call<Session>;
    find(id: string, options?: RequestOptions): Promise<Session | undefined>;
    search(query: string, page?: Page, options?: RequestOptions): Call<Session[]>;
  };
  readonly tokens: {
    /** Asks the service. @throws {TokenError} where it is not valid; {ApiError} `user_not_found` */
    verify(token: string, options?: RequestOptions): Call<VerifiedToken>;
    /** Without a request, by the secret key. @throws {TokenError} */
    verifyLocal(token: string): Promise<TokenClaims>;
  };
  readonly instances: {
    /** @throws {ApiError} `unauthorized` for a key that no instance has */
    resolve(publishableKey: string, options?: RequestOptions): Call<Instance>;
  };
  discovery(options?: RequestOptions): Call<Discovery>;
  /** Where to send a user who shall sign in. */
  signInUrl(parameters: { redirectUri: string; provider?: Provider; loginHint?: string }): Promise<string>;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** @throws {ConfigError} for keys that can't be keys, or that are swapped */
export function createClient(options: ClientOptions): Client {
  const { secretKey, publishableKey, apiUrl } = options;
  checkKey("secretKey", secretKey, SECRET_KEY_PREFIX);
  checkKey("publishableKey", publishableKey, PUBLISHABLE_KEY_PREFIX);
  const shared = {
    fetch: options.fetch ?? createFetch(options.certificate),
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };

  const bootstrap: Omit<CallDeps, "headers"> = {
    ...shared,
    baseUrl: async () => trimSlash(apiUrl ?? options.baseUrl ?? missing("apiUrl")),
  };
  const resolve = (key: string, request?: RequestOptions): Call<Instance> =>
    call(
      { ...bootstrap, headers: () => ({ [PUBLISHABLE_KEY_HEADER]: key }) },
      "GET /api/v1/instances/search",
      () => {
        checkKey("the key to resolve", key, PUBLISHABLE_KEY_PREFIX);
        return { query: { query: `publishable_key:${key}` } };
      },
      request,
    );

  const resolved = createInstanceUrl(
    () => resolve(publishableKey ?? missing("baseUrl, or publishableKey and apiUrl")),
    apiUrl ?? options.baseUrl ?? "",
    options.now ?? Date.now,
  );
  const baseUrl = async (): Promise<string> => trimSlash(options.baseUrl ?? (await resolved()));
  const open: CallDeps = { ...shared, baseUrl, headers: () => ({}) };
  const keyed: CallDeps = { ...open, headers: () => ({ [SECRET_KEY_HEADER]: secretKey ?? missing("secretKey") }) };

  const getUser = (id: string, request?: RequestOptions): Call<User> =>
    call(keyed, "GET /api/v1/users/:id", () => ({ params: { id: checkId("user", id, isUuid) } }), request);
  const getSession = (id: string, request?: RequestOptions): Call<Session> =>
    call(keyed, "GET /api/v1/sessions/:id", () => ({ params: { id: checkId("session", id, isSessionId) } }), request);

  return {
    users: {
      get: getUser,
      find: (id, request) => orUndefined(getUser(id, request), "user_not_found"),
      list: (page = {}, request) => call(keyed, "GET /api/v1/users", () => ({ query: page }), request),
      search: (query, page = {}, request) =>
        call(keyed, "GET /api/v1/users/search", () => ({ query: { query, ...page } }), request),
      delete: (id, request) =>
        call(keyed, "DELETE /api/v1/users/:id", () => ({ params: { id: checkId("user", id, isUuid) } }), request),
    },
    sessions: {
      get: getSession,
      find: (id, request) => orUndefined(getSession(id, request), "session_not_found"),
      list: (page = {}, request) => call(keyed, "GET /api/v1/sessions", () => ({ query: page }), request),
      search: (query, page = {}, request) =>
        call(keyed, "GET /api/v1/sessions/search", () => ({ query: { query, ...page } }), request),
    },
    tokens: {
      verify: (token, request) => call(keyed, "POST /api/v1/tokens/verify", () => ({ body: { token } }), request),
      async verifyLocal(token) {
        const { verifyToken } = await import("./verify.ts");
        const now = new Date((options.now ?? Date.now)());
        return verifyToken(token, { secretKey: secretKey ?? missing("secretKey"), now: () => now });
      },
    },
    instances: { resolve },
    discovery: (request) => call(open, "GET /.well-known/openid-configuration", () => ({}), request),
    async signInUrl({ redirectUri, provider, loginHint }) {
      const url = new URL(`${await baseUrl()}${provider ? "/oauth/authorize" : "/sign-in"}`);
      if (provider) url.searchParams.set("provider", provider);
      url.searchParams.set("redirect_uri", redirectUri);
      if (loginHint) url.searchParams.set("login_hint", loginHint);
      return url.href;
    },
  };
}

function checkKey(option: string, key: string | undefined, prefix: string): void {
  if (key !== undefined && !(key.startsWith(prefix) && /^[\x21-\x7e]+$/.test(key))) {
    throw new ConfigError(`${option} must begin with ${prefix} and have no spaces`);
  }
}

function checkId(kind: string, id: string, isId: (id: string) => boolean): string {
  if (!isId(id)) throw new ConfigError(`"${id}" is not the id of a ${kind}`);
  return id;
}

function missing(what: string): never {
  throw new ConfigError(`createClient was not given ${what}`);
}

function trimSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

async function orUndefined<Result>(calling: Promise<Result>, code: ErrorCode): Promise<Result | undefined> {
  try {
    return await calling;
  } catch (error) {
    if (isServiceError(error, code)) return undefined;
    throw error;
  }
}

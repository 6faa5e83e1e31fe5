import type { TokenClaims } from "../wire/claims.ts";
import { type Page, trimSlash } from "../http/request.ts";
import type { Endpoint } from "../wire/product/routes.ts";
import { isSessionId, isUuid, PUBLISHABLE_KEY_HEADER, PUBLISHABLE_KEY_PREFIX, SECRET_KEY_HEADER } from "../wire/ids.ts";
import type { DeletedUser, Discovery, Instance, Session, User, VerifiedToken } from "../wire/resources.ts";
import { call, toCall, type CallDeps } from "./call.ts";
import { ConfigError, isServiceError, type ErrorCode } from "./errors.ts";
import {
  REQUEST_OPTIONS,
  checkKey,
  checkNames,
  timeOf,
  checkConfidential,
  checkClientOptions,
  DEFAULT_TIMEOUT_MS,
  type ClientOptions,
} from "./options.ts";
import {
  listCall,
  type ListCall,
  type Call,
  type RequestOptions,
  type TokenCheck,
  type WithResponse,
} from "./request.ts";
import { checked, ENDPOINTS, tokenToSend } from "./result.ts";
import { addressOf, createOwnInstance } from "./own-instance.ts";
import { sessionQuery, userQuery, type QueryInput, type SessionFields, type UserFields } from "./query-builder.ts";
import { checkSignIn, signInUrl, type SignInParameters } from "./sign-in-url.ts";
import { closable, type Connect } from "./transport.ts";

export type { ClientOptions } from "./options.ts";

export interface Client {
  readonly users: {
    /** @throws {ApiError} `user_not_found` */
    get(id: string, options?: RequestOptions): Call<User>;
    /** Like `get`, but undefined if there is no such user. */
    find(id: string, options?: RequestOptions): Promise<User | undefined>;
    /** Newest first. */
    list(page?: Page, options?: RequestOptions): ListCall<User>;
    /** @param query e.g. `email:*@acme.com -name:bot*`, or made of terms @throws {ServiceError} `invalid_query` */
    search(query: QueryInput<UserFields>, page?: Page, options?: RequestOptions): ListCall<User>;
    /** Irreversible, and never retried. @throws {ApiError} `user_not_found` */
    delete(id: string, options?: RequestOptions): Call<DeletedUser>;
  };
  readonly sessions: {
    /** Most recent sign-in first. */
    list(page?: Page, options?: RequestOptions): ListCall<Session>;
    /** @param id `svc_session_<uuid>` @throws {ApiError} `session_not_found` */
    get(id: string, options?: RequestOptions): Call<Session>;
    /** Like `get`, but undefined if there is no such session. */
    find(id: string, options?: RequestOptions): Promise<Session | undefined>;
    /** @param query e.g. `active:true created_at>=2026-01-01`, or made of terms @throws {ServiceError} `invalid_query` */
    search(query: QueryInput<SessionFields>, page?: Page, options?: RequestOptions): ListCall<Session>;
  };
  readonly tokens: {
    /** Verifies with the service. @throws {TokenError} for an invalid token; {ApiError} `user_not_found` */
    verify(token: string, options?: RequestOptions): Call<VerifiedToken>;
    /**
     * Like `verify`, but returns what is wrong with the token: `ok` is false for every invalid one, and if its user was
     * deleted. Throws only if the service does not decide.
     */
    check(token: string, options?: RequestOptions): Promise<TokenCheck>;
    /** Verifies with the secret keys, without a request. @throws {TokenError} */
    verifyLocal(token: string): Promise<TokenClaims>;
  };
  readonly instances: {
    /**
     * The instance with a publishable key; by default the client's own, which is remembered for 60 seconds.
     * @throws {ApiError} `instance_not_found`, or `unauthorized` for a secret key that the service does not know
     */
    resolve(publishableKey?: string, options?: ResolveOptions): Call<Instance>;
  };
  /** The instance's `/.well-known/openid-configuration`. Needs no key. */
  discovery(options?: RequestOptions): Call<Discovery>;
  /**
   * The address to send a user to for signing in, at `publicUrl` or the base URL. It has the publishable key, if the client
   * has one, because several instances may share the address.
   * @throws {ConfigError} for parameters that the service would refuse
   */
  signInUrl(parameters: SignInParameters): Promise<string>;
  /** The address of the instance, without a slash at the end. */
  baseUrl(): Promise<string>;
  /** Waits for pending requests and closes the connections. Later calls are rejected with the code `closed`. */
  close(): Promise<void>;
}

export interface ResolveOptions extends RequestOptions {
  /** The key to authenticate with: the publishable key that is resolved (the default), or the client's secret key. */
  readonly auth?: "publishable" | "secret" | undefined;
  /** Asks the service, whatever the client remembers of its own instance. */
  readonly fresh?: boolean | undefined;
}

type ListRoute = Extract<Endpoint, `GET /api/v1/${"users" | "sessions"}${"" | "/search"}`>;

const DEFAULT_RETRIES = 2;

/** @param connect used unless the options have a `fetch` */
export function createClientWith(connect: Connect, options: ClientOptions): Client {
  checkClientOptions(options);
  const { publishableKey, apiUrl, now: clock = Date.now } = options;
  const secretKeys = [options.secretKey ?? []].flat();
  const transport = closable(options.fetch ? { fetch: options.fetch } : connect(options.certificate));
  const shared: Omit<CallDeps, "baseUrl" | "headers"> = {
    transport,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    retry: options.retry ?? DEFAULT_RETRIES,
    now: () => timeOf(clock),
    onTry: options.onTry,
    // Browsers have one of their own, and ask the service before they send another.
    userAgent: options.userAgent ?? transport.userAgent,
  };

  const ownInstance = createOwnInstance(shared.now);

  async function resolved(key: string | undefined, own: ResolveOptions): Promise<WithResponse<Instance>> {
    const route = "GET /api/v1/instances/search";
    checkNames(ENDPOINTS[route].method, own, { ...REQUEST_OPTIONS, auth: true, fresh: true });
    const { auth, fresh: isFresh = false, ...request } = own;
    if (key === undefined) return missing("publishableKey");
    checkKey("the key to resolve", key, PUBLISHABLE_KEY_PREFIX);
    const deps: CallDeps = {
      ...shared,
      baseUrl: () => {
        const base = apiUrl ?? options.baseUrl ?? missing("apiUrl");
        if (auth === "secret") checkConfidential("apiUrl", base, options);
        return trimSlash(base);
      },
      headers: () => (auth === "secret" ? keyed.headers() : { [PUBLISHABLE_KEY_HEADER]: key }),
    };
    const ask = (): Promise<WithResponse<Instance>> =>
      call(deps, route, () => ({ query: { query: `publishable_key:${key}` } }), request).withResponse();
    // With the secret key the question is also whether the service knows it.
    if (key !== publishableKey || auth === "secret") return ask();
    return ownInstance(ask, { isFresh, isAlone: Object.keys(request).length > 0 });
  }
  const resolve = (key = publishableKey, own: ResolveOptions = {}): Call<Instance> => toCall(resolved(key, own));

  const given = options.baseUrl === undefined ? undefined : trimSlash(options.baseUrl);
  const service = { apiUrl: apiUrl ?? options.baseUrl ?? "", insecure: options.insecure ?? false };
  const baseUrl = (): string | Promise<string> =>
    given ??
    resolve(publishableKey ?? missing("baseUrl, or publishableKey and apiUrl")).then((own) => addressOf(own, service));
  const open: CallDeps = { ...shared, baseUrl, headers: () => ({}) };
  const keyed: CallDeps = { ...open, headers: () => ({ [SECRET_KEY_HEADER]: secretKeys[0] ?? missing("secretKey") }) };

  const getUser = (id: string, request?: RequestOptions): Call<User> =>
    call(keyed, "GET /api/v1/users/:id", () => ({ params: { id: checkId("user", id, isUuid) } }), request);
  const getSession = (id: string, request?: RequestOptions): Call<Session> =>
    call(keyed, "GET /api/v1/sessions/:id", () => ({ params: { id: checkId("session", id, isSessionId) } }), request);
  const verify = (token: string, request?: RequestOptions): Call<VerifiedToken> =>
    call(keyed, "POST /api/v1/tokens/verify", () => ({ body: { token: tokenToSend(token) } }), request);

  /** @param query called for each request, so that an invalid one is a rejection */
  const list = <Item>(route: ListRoute, page: Page, request?: RequestOptions, query?: () => string): ListCall<Item> =>
    listCall((part) => {
      const input = (): { query: Page & { query: string } } => {
        checkNames(ENDPOINTS[route].method, page, { limit: true, after: true }, REQUEST_OPTIONS);
        return { query: { ...(query && { query: query() }), ...part } } as { query: Page & { query: string } };
      };
      return call(keyed, route, input, request).withResponse() as Promise<WithResponse<Item[]>>;
    }, page);

  return {
    users: {
      get: getUser,
      find: (id, request) => orUndefined(getUser(id, request), "user_not_found"),
      list: (page = {}, request) => list("GET /api/v1/users", page, request),
      search: (query, page = {}, request) => list("GET /api/v1/users/search", page, request, () => userQuery(query)),
      delete: (id, request) =>
        call(keyed, "DELETE /api/v1/users/:id", () => ({ params: { id: checkId("user", id, isUuid) } }), request),
    },
    sessions: {
      get: getSession,
      find: (id, request) => orUndefined(getSession(id, request), "session_not_found"),
      list: (page = {}, request) => list("GET /api/v1/sessions", page, request),
      search: (query, page = {}, request) =>
        list("GET /api/v1/sessions/search", page, request, () => sessionQuery(query)),
    },
    tokens: {
      verify,
      check: (token, request) => checked(token, verify(token, request)),
      async verifyLocal(token) {
        const { verifyToken } = await import("./verify.ts");
        const keys = secretKeys.length > 0 ? secretKeys : missing("secretKey");
        return verifyToken(token, { secretKey: keys, now: options.now });
      },
    },
    instances: { resolve },
    discovery: (request) => call(open, "GET /.well-known/openid-configuration", () => ({}), request),
    async signInUrl(parameters) {
      checkSignIn(parameters);
      const base = trimSlash(options.publicUrl ?? (await baseUrl()));
      // An address found by the key is the instance's own.
      const mayBeShared = (options.publicUrl ?? options.baseUrl) !== undefined;
      return signInUrl(base, parameters, mayBeShared ? publishableKey : undefined);
    },
    baseUrl: async () => baseUrl(),
    close: transport.close,
  };
}

function checkId(kind: string, id: string, isId: (id: string) => boolean): string {
  // Some languages write UUIDs in capitals.
  if (typeof id === "string" && isId(id.toLowerCase())) return id.toLowerCase();
  throw new ConfigError(`"${id}" is not a ${kind} id`);
}

function missing(what: string): never {
  throw new ConfigError(`createClient needs ${what}`);
}

async function orUndefined<Result>(calling: Promise<Result>, code: ErrorCode): Promise<Result | undefined> {
  try {
    return await calling;
  } catch (error) {
    if (isServiceError(error, code)) return undefined;
    throw error;
  }
}

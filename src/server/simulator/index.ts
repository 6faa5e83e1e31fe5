import type { FetchInit, FetchResponse } from "../../wire/fetch.ts";
import { isProvider, type Provider } from "../../wire/names.ts";
import { ApiError } from "../errors.ts";
import { normalizeEmail } from "../providers/email.ts";
import type { Simulated } from "../providers/connections.ts";
import { withParameters } from "../sign-in/redirect-uri.ts";
import { fold } from "../store/fold.ts";
import type { ConnectionRecord, PersonaRecord } from "../store/records.ts";
import { simulatedGithub } from "./github.ts";
import { simulatedGoogle } from "./google.ts";
import { Grants, type AuthorizationRequest } from "./grants.ts";
import { Personas } from "./personas.ts";
import { notFound, reply, type PickerView, type SimulatedProvider, type TokenRequest } from "./provider.ts";
import { createSeal } from "./sealed.ts";
import { simulatedTwitter } from "./twitter.ts";

const SIMULATED: Readonly<Record<Provider, SimulatedProvider>> = {
  google: simulatedGoogle,
  github: simulatedGithub,
  twitter: simulatedTwitter,
};

const ENDPOINTS: Readonly<Record<Provider, Readonly<Record<string, string>>>> = {
  google: { authorize: "/authorize", token: "/token", userinfo: "/userinfo" },
  github: { authorize: "/authorize", token: "/token", user: "/user", emails: "/user/emails" },
  twitter: { authorize: "/authorize", token: "/token", me: "/users/me" },
};

export interface SimulatorOptions {
  /** The front door's origin, behind which the providers stand. */
  readonly front: string;
  callbackUrl(provider: Provider): string;
  readonly personas: readonly PersonaRecord[];
  /** The clients that a provider knows, besides the simulator's own. */
  clients(provider: Provider): readonly ConnectionRecord[];
  /** What all processes on this store know, and nobody else does. */
  readonly secrets: readonly string[];
  now(): Date;
}

/** Where the browser goes, or the account picker that it shows. */
export type AuthorizeOutcome = { readonly location: string } | PickerView;

/** The three providers, played by this process. They enforce what the real ones enforce. */
export interface Simulator extends Simulated {
  readonly personas: Personas;
  /** The browser's side of a provider. @throws {ApiError} for a request that a provider would not redirect from */
  authorize(provider: Provider, query: ReadonlyMap<string, string>): AuthorizeOutcome;
}

export function createSimulator(options: SimulatorOptions): Simulator {
  const { front, callbackUrl, personas: known, clients, secrets, now } = options;
  const prefix = `${front}/__svc/simulator`;
  const personas = new Personas(known, (id) => `${prefix}/avatars/${id}.svg`);
  const grants = new Grants(createSeal(secrets), (reference) => personas.recall(reference), now);
  const client: ConnectionRecord = { client_id: "svc-simulator", client_secret: "svc-simulator-secret" };

  function findClient(provider: Provider, client_id: string): ConnectionRecord | undefined {
    return [client, ...clients(provider)].find((candidate) => candidate.client_id === client_id);
  }

  function parseRequest(name: Provider, query: ReadonlyMap<string, string>): AuthorizationRequest {
    const client_id = query.get("client_id") ?? "";
    const redirect_uri = query.get("redirect_uri") ?? "";
    if (!findClient(name, client_id)) throw refused(name, "knows no such client_id");
    if (redirect_uri !== callbackUrl(name)) throw refused(name, "has another redirect_uri for this client");
    if (query.get("response_type") !== "code") throw refused(name, "wants response_type=code");
    const refusal = SIMULATED[name].refusal(query);
    if (refusal !== undefined) throw refused(name, refusal);
    return {
      provider: name,
      client_id,
      redirect_uri,
      state: query.get("state") ?? "",
      scopes: (query.get("scope") ?? "").split(" "),
      code_challenge: query.get("code_challenge"),
    };
  }

  function picker(
    name: Provider,
    id: string,
    request: AuthorizationRequest,
    search: string,
    problem: string | undefined,
  ): PickerView {
    const provider = SIMULATED[name];
    const accounts = personas.all.flatMap((persona) => {
      const account = provider.account(persona);
      const text = account && fold(`${account.name} ${account.detail} ${persona.email}`);
      return account && text?.includes(fold(search)) ? [{ persona, account }] : [];
    });
    return {
      provider: name,
      title: provider.title,
      request: id,
      accounts,
      search,
      problem,
      client_id: request.client_id,
      scopes: request.scopes,
    };
  }

  return {
    client,
    personas,
    endpoints: (name) =>
      Object.fromEntries(Object.entries(ENDPOINTS[name]).map(([key, path]) => [key, `${prefix}/${name}${path}`])),

    authorize(name, query) {
      // The page names the request by an id, so that the state is not on it.
      const id = query.get("request");
      const request = id === undefined ? parseRequest(name, query) : grants.pending(id);
      if (request?.provider !== name)
        throw refused(name, "does not know this request any more; begin again at the application");
      const { redirect_uri, state } = request;
      if (query.has("cancel")) return { location: withParameters(redirect_uri, { error: "access_denied", state }) };
      const { persona, problem } = choose(personas, query, SIMULATED[name]);
      if (persona) {
        return { location: withParameters(redirect_uri, { code: grants.issueCode({ ...request, persona }), state }) };
      }
      if (id === undefined) return { location: `${prefix}/${name}/authorize?request=${grants.keepPending(request)}` };
      return picker(name, id, request, query.get("q") ?? "", problem);
    },

    async fetch(url, init) {
      const [name, path] = splitAfter(url.slice(prefix.length + 1));
      if (!url.startsWith(`${prefix}/`) || !isProvider(name))
        throw new Error(`The simulator has nothing at ${new URL(url).origin}`);
      if (path === "/token") return answerToken(name, init);
      const bearer = /^Bearer (.+)$/.exec(init.headers?.["authorization"] ?? "")?.[1] ?? "";
      const consent = grants.consentOf(name, bearer);
      return consent
        ? SIMULATED[name].resource(path, consent, init.headers ?? {})
        : reply(401, { message: "Bad credentials" });
    },
  };

  function answerToken(name: Provider, init: FetchInit): FetchResponse {
    if (init.method !== "POST") return notFound();
    const request = parseTokenRequest(init);
    if (!request) return reply(400, { error: "unsupported_grant_type" });
    const { client_id } = request.redemption;
    const isClient = [client, ...clients(name)].some(
      (own) => own.client_id === client_id && own.client_secret === request.client_secret,
    );
    return SIMULATED[name].token(request, isClient, () => grants.redeem({ provider: name, ...request.redemption }));
  }
}

function refused(provider: Provider, why: string): ApiError {
  return new ApiError("bad_request", `${provider} (simulated) ${why}`);
}

/** Who signs in: the account that was clicked or hinted at, or one that was typed in. */
function choose(
  personas: Personas,
  query: ReadonlyMap<string, string>,
  provider: SimulatedProvider,
): { persona?: PersonaRecord | undefined; problem?: string | undefined } {
  const typed = query.get("email");
  const email = typed === undefined ? undefined : normalizeEmail(typed.trim());
  if (typed !== undefined && email === undefined) return { problem: `"${typed}" is not an e-mail address.` };
  const hint = email ?? query.get("login_hint") ?? "";
  const known = personas.find(hint);
  if (known && !provider.account(known)) return { problem: `${hint} has no account at ${provider.title}.` };
  const name = query.get("name")?.trim().slice(0, 256) || null;
  return { persona: known ?? (email === undefined ? undefined : personas.add(email, name)) };
}

function parseTokenRequest({ headers = {}, body = "" }: FetchInit): TokenRequest | undefined {
  const form = new URLSearchParams(body);
  if (form.get("grant_type") !== "authorization_code") return undefined;
  const basic = /^Basic (.+)$/.exec(headers["authorization"] ?? "")?.[1];
  const [id, secret] = basic
    ? Buffer.from(basic, "base64").toString().split(":").map(decodeURIComponent)
    : [form.get("client_id"), form.get("client_secret")];
  return {
    redemption: {
      code: form.get("code") ?? "",
      client_id: id ?? "",
      redirect_uri: form.get("redirect_uri") ?? "",
      code_verifier: form.get("code_verifier") ?? undefined,
    },
    client_secret: secret ?? "",
    method: basic ? "basic" : "body",
    accept: headers["accept"] ?? "",
  };
}

function splitAfter(text: string): [string, string] {
  const path = text.split("?")[0] ?? "";
  const slash = path.indexOf("/");
  return [path.slice(0, slash), path.slice(slash)];
}

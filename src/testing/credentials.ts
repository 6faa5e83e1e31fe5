import { ControlError } from "../control-client/index.ts";
import { ServeError } from "../server/errors.ts";
import { isUuid } from "../wire/ids.ts";
import type { Provider } from "../wire/providers.ts";
import { checkOptions } from "./options.ts";
import type { TestTokens } from "./records.ts";
import type { AnswerOf, BodyOf } from "../wire/control/types.ts";

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

/** What it needs of a test service. */
interface Service {
  readonly tokens: TestTokens;
  signIn(options: NonNullable<BodyOf<"POST /sign-ins">>): Promise<AnswerOf<"POST /sign-ins">>;
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
  const { token, user_id } = isUuid(user) ? await created(svc, user, provider) : await signedIn(svc, user, provider);
  const cookies = cookie === undefined ? [] : [{ name: cookie, value: token }];
  const headers: Record<string, string> =
    cookie === undefined ? { authorization: `Bearer ${token}` } : { cookie: `${cookie}=${token}` };
  return { token, user_id, headers, cookies };
}

async function created({ tokens }: Service, user: string, provider: Provider | undefined) {
  const { token } = await tokens.create({ user, ...(provider && { provider }) });
  return { token, user_id: user };
}

async function signedIn(svc: Service, as: string, provider: Provider | undefined) {
  const { token, user_id, error, error_description } = await svc.signIn({ as, provider, outcome: "success" });
  if (token !== undefined && user_id !== null) return { token, user_id };
  throw new ControlError("unknown", undefined, `${as} could not sign in: ${error}. ${error_description ?? ""}`);
}

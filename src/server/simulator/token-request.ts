import type { FetchInit } from "../../http/fetch.ts";
import type { SentCredentials, SimulatedProvider, TokenRequest } from "./provider.ts";

/** Why a request is none that the token endpoint understands: an error of RFC 6749, 5.2. */
export interface Malformed {
  readonly error: "invalid_request" | "unsupported_grant_type";
  readonly error_description?: string;
}

/** RFC 6749, 3.2 and 4.1.3. */
export function parseTokenRequest(init: FetchInit, provider: SimulatedProvider): TokenRequest | Malformed {
  const { isOffline, isLenient } = provider;
  const form = parametersOf(init, provider);
  if (!(form instanceof Map)) return form;
  const grant_type = form.get("grant_type") ?? (isLenient ? "authorization_code" : "");
  const isRefresh = grant_type === "refresh_token" && isOffline !== undefined;
  if (!isRefresh && grant_type !== "authorization_code") return { error: "unsupported_grant_type" };
  return {
    ...credentialsOf(init, form),
    purpose: isRefresh ? "refresh" : "code",
    code: form.get(isRefresh ? "refresh_token" : "code") ?? "",
    redirect_uri: form.get("redirect_uri") ?? (isLenient || isRefresh ? undefined : ""),
    code_verifier: form.get("code_verifier"),
    accept: init.headers?.["accept"] ?? "",
  };
}

/** The parameters of a form, or of JSON where the provider takes that. None may be repeated. */
export function parametersOf(
  { headers = {}, body = "" }: FetchInit,
  { takesJson }: SimulatedProvider,
): Map<string, string> | Malformed {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  const malformed = (error_description: string): Malformed => ({ error: "invalid_request", error_description });
  if (takesJson && type === "application/json") {
    try {
      const texts = Object.entries(JSON.parse(body) as object).filter(([, value]) => typeof value === "string");
      return new Map(texts);
    } catch {
      return malformed("The body is not JSON.");
    }
  }
  if (type !== "application/x-www-form-urlencoded")
    return malformed("Send a form: Content-Type: application/x-www-form-urlencoded.");
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) return malformed(`The parameter ${name} is repeated.`);
    form.set(name, value);
  }
  return form;
}

/** By HTTP Basic, which counts if it is there, or in the form. */
export function credentialsOf(
  { headers = {} }: FetchInit,
  form: ReadonlyMap<string, string>,
): Pick<TokenRequest, "credentials" | "method"> {
  const basic = /^Basic (.+)$/i.exec(headers["authorization"] ?? "")?.[1];
  if (basic !== undefined) return { credentials: basicCredentials(basic), method: "basic" };
  const client_secret = form.get("client_secret");
  return {
    credentials: [{ client_id: form.get("client_id") ?? "", client_secret }],
    method: client_secret === undefined ? "none" : "body",
  };
}

/** Both as they are, and form-encoded as RFC 6749, 2.3.1 has it. */
function basicCredentials(text: string): SentCredentials[] {
  const pair = Buffer.from(text, "base64").toString();
  const colon = pair.indexOf(":");
  if (colon < 0) return [];
  const plain = { client_id: pair.slice(0, colon), client_secret: pair.slice(colon + 1) };
  try {
    const decoded = (part: string): string => decodeURIComponent(part.replaceAll("+", " "));
    return [plain, { client_id: decoded(plain.client_id), client_secret: decoded(plain.client_secret) }];
  } catch {
    return [plain];
  }
}

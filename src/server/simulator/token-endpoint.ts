import type { FetchInit, FetchResponse } from "../../wire/fetch.ts";
import type { Provider } from "../../wire/names.ts";
import type { ConnectionRecord } from "../store/records.ts";
import type { Grants } from "./grants.ts";
import { notFound, reply, type SimulatedProvider, type TokenRequest } from "./provider.ts";

/**
 * Exchanges a code as one of the providers does.
 * @param clients those that the provider knows
 */
export function answerToken(
  name: Provider,
  provider: SimulatedProvider,
  grants: Grants,
  clients: readonly ConnectionRecord[],
  init: FetchInit,
): FetchResponse {
  if (init.method !== "POST") return notFound();
  const request = parseTokenRequest(init);
  if (!request) return reply(400, { error: "unsupported_grant_type" });
  const { client_id } = request.redemption;
  const isClient = clients.some((own) => own.client_id === client_id && own.client_secret === request.client_secret);
  return provider.token(request, isClient, () => grants.redeem({ provider: name, ...request.redemption }));
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

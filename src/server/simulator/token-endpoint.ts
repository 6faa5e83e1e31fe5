import type { FetchInit, FetchResponse } from "../../wire/http/fetch.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { Grants } from "./grants.ts";
import { tokenFailure } from "./outcomes.ts";
import type { TokenRequest } from "./provider.ts";
import { notFound, reply } from "./replies.ts";

/** The token endpoint of a provider. @throws if the connection is to fail or time out */
export async function answerToken(
  { name, provider, grants, isClient }: AuthorizationServer,
  init: FetchInit,
): Promise<FetchResponse> {
  if (init.method !== "POST") return notFound();
  const request = parseTokenRequest(init);
  if (!request) return reply(400, { error: "unsupported_grant_type" });
  const { client_id, code } = request.redemption;
  const outcome = grants.issuedFor(code).outcome;
  const failure = await tokenFailure(outcome, name, init);
  if (failure) return failure;
  const redeem = (): ReturnType<Grants["redeem"]> => grants.redeem({ provider: name, ...request.redemption });
  // The code is already redeemed, as if another client had used it.
  if (outcome === "code_rejected") redeem();
  return provider.token(request, isClient(client_id, request.client_secret) && outcome !== "invalid_client", redeem);
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

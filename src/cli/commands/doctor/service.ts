import { CLOCK_SKEW_SECONDS } from "../../../wire/claims.ts";
import { trimSlash } from "../../../wire/http/request.ts";
import type { Discovery } from "../../../wire/resources.ts";
import { parsedJson } from "../../../wire/text/json.ts";
import type { GlobalFlags } from "../../command.ts";
import { optionsOf, requireKey, timeoutMs, verifyKeyWithService } from "../../connection/client.ts";
import { controlOf } from "../../connection/control.ts";
import { exchange, type Answer } from "../../connection/exchange.ts";
import { explainFailure } from "../../connection/explain-failure.ts";
import type { Target } from "../../connection/sources.ts";
import { resolveTarget } from "../../connection/target.ts";
import type { Context } from "../../context.ts";
import { toFailure } from "../../failure.ts";
import { failed, ok, skipped, warning, type Check } from "./check.ts";

const TIMEOUT_MS = 5_000;

/** The service that commands here ask, and whether it answers as it must. */
export async function serviceChecks(context: Context, flags: GlobalFlags): Promise<Check[]> {
  let target: Target;
  try {
    target = await resolveTarget(context, flags);
  } catch (error) {
    const { message, hint = "Check the settings with: svc whoami" } = toFailure(error);
    return [failed("service", message, hint)];
  }
  const { base_url, api_url } = target;
  const { value, source } = (base_url ?? api_url)!;
  const chosen = ok("service", `${value} (${source})`);
  let base: string;
  try {
    const { baseUrl, apiUrl } = optionsOf(context, target);
    base = trimSlash(baseUrl ?? apiUrl!);
  } catch (error) {
    const { message, hint = "" } = toFailure(error);
    return [failed("service", message, hint)];
  }
  const url = `${base}/.well-known/openid-configuration`;
  const answer = await ask(context, target, url);
  if ("status" in answer) return [chosen, answer];
  return [
    chosen,
    ok("reachable", `${new URL(base).origin} answers`),
    discoveryCheck(answer, base),
    await clockCheck(context, base, answer.response.headers.get("date")),
    await keyCheck(context, target, base),
  ];
}

/** @returns the answer, or the check that failed */
async function ask(context: Context, target: Target, url: string): Promise<Answer | Check> {
  try {
    const reach = { certificate: target.server?.certificate, timeoutMs: timeoutMs(context, TIMEOUT_MS) };
    return await exchange(context, url, reach);
  } catch (error) {
    const { message, hint = "" } = explainFailure(context, error);
    return failed("reachable", message, hint);
  }
}

function discoveryCheck({ response, text }: Answer, base: string): Check {
  const document = parsedJson(text) as Partial<Discovery> | undefined;
  if (document === undefined)
    return failed(
      "discovery",
      `${base} returned ${response.status} without a discovery document.`,
      "Another program listens there. Check the address with: svc whoami",
    );
  const { issuer, id_token_signing_alg_values_supported: algorithms = [] } = document;
  if (response.status !== 200 || issuer === undefined)
    return failed(
      "discovery",
      `${base} returned ${response.status}.`,
      "Check that it is the address of an instance that is active. svc instances list shows those of a local server.",
    );
  if (issuer !== base)
    return warning(
      "discovery",
      `The issuer is ${issuer}, not ${base}.`,
      "Strict OIDC clients expect the issuer's address.",
    );
  if (algorithms.join() !== "HS256")
    return warning(
      "discovery",
      `Tokens are signed with ${algorithms.join(", ")}.`,
      "svc-identity/verify accepts HS256 only.",
    );
  return ok("discovery", `issuer ${issuer}, HS256`);
}

/** A development server's own clock decides about tokens, and may have been moved; elsewhere the `Date` header tells. */
async function clockCheck(context: Context, base: string, date: string | null): Promise<Check> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const clock = await controlOf(context, base)
    .then((control) => control?.request("GET /clock", { signal }))
    .catch(() => undefined);
  if (clock === undefined || clock.mode === "real") return skewCheck(clock?.now ?? date, context.now());
  return warning(
    "clock",
    `The service's clock was moved, and shows ${clock.now}. Tokens may seem expired, or not valid yet.`,
    "Reset it to real time with: svc dev clock reset",
  );
}

function skewCheck(date: string | null, now: Date): Check {
  const theirs = date === null ? Number.NaN : new Date(date).getTime();
  if (Number.isNaN(theirs)) return skipped("clock", "The service does not send the time.", "Nothing to do.");
  const seconds = Math.round((now.getTime() - theirs) / 1000);
  if (Math.abs(seconds) <= CLOCK_SKEW_SECONDS) return ok("clock", "agrees with the service's");
  return failed(
    "clock",
    `This machine's clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} the service's.`,
    "Set the clock by NTP: tokens that are verified here may seem expired, or not valid yet.",
  );
}

async function keyCheck(context: Context, target: Target, base: string): Promise<Check> {
  if (target.secret_key === undefined)
    return warning("key", "No secret key for this service.", "Set SVC_SECRET_KEY, or store the key with: svc login");
  try {
    await verifyKeyWithService(context, { base_url: base, secretKey: await requireKey(context, target) }, target);
    return ok("key", `accepted (${target.secret_key.source})`);
  } catch (error) {
    const { message, hint } = toFailure(error);
    return failed("key", message, hint ?? "Check the key with: svc whoami");
  }
}

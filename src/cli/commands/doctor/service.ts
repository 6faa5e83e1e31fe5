import type { Sourced } from "../../choices.ts";
import { CLOCK_SKEW_SECONDS } from "../../../wire/claims.ts";
import { trimSlash } from "../../../http/request.ts";
import type { Discovery } from "../../../wire/resources.ts";
import { isObject, parsedJson } from "../../../text/json.ts";
import { optionsOf, requireKey, timeoutMs, verifyKeyWithService } from "../../connection/client.ts";
import { controlOf } from "../../connection/control.ts";
import { exchange, type Answer } from "../../connection/exchange.ts";
import { explainFailure } from "../../connection/explain-failure.ts";
import type { Target } from "../../connection/sources.ts";
import { instanceInWords, resolveTarget } from "../../connection/target.ts";
import type { Context } from "../../context.ts";
import { toFailure } from "../../failure.ts";
import { failed, ok, skipped, warning, type Finding } from "./machine.ts";

const TIMEOUT_MS = 5_000;

/** The service that commands here ask, and whether it answers as it must. */
export async function serviceChecks(context: Context): Promise<Record<string, Finding>> {
  let target: Target;
  try {
    target = await resolveTarget(context);
    // So that a variable with a wrong value is found as well.
    optionsOf(context, target);
  } catch (error) {
    const { message, hint = "Check the settings with: svc whoami" } = toFailure(error);
    return { service: failed(message, hint) };
  }
  const address = (target.base_url ?? target.api_url)!;
  const base = trimSlash(address.value);
  const service = ok(`${address.value} (${address.source})`);
  let answer: Answer;
  try {
    const reach = { certificate: target.server?.certificate, timeoutMs: timeoutMs(context, TIMEOUT_MS) };
    answer = await exchange(context, `${base}/.well-known/openid-configuration`, reach);
  } catch (error) {
    const { message, hint = "" } = explainFailure(context, error);
    return { service, reachable: failed(message, hint) };
  }
  return {
    service,
    reachable: ok(`${new URL(base).origin} answers`),
    discovery: discoveryCheck(answer, base),
    clock: await clockCheck(context, base, answer.response.headers.get("date")),
    key: await keyCheck(context, target, address),
  };
}

function discoveryCheck({ response, text }: Answer, base: string): Finding {
  const document: unknown = parsedJson(text);
  if (!isObject(document))
    return failed(
      `${base} returned ${response.status} without a discovery document.`,
      "Another program listens there. Check the address with: svc whoami",
    );
  const { issuer, id_token_signing_alg_values_supported: algorithms = [] } = document as Partial<Discovery>;
  if (response.status !== 200 || issuer === undefined)
    return failed(
      `${base} returned ${response.status}.`,
      "Check that it is the address of an instance that is active. svc instances list shows those of a local server.",
    );
  if (issuer !== base)
    return warning(`The issuer is ${issuer}, not ${base}.`, "Strict OIDC clients expect the issuer's address.");
  if (algorithms.join() !== "HS256")
    return warning(`Tokens are signed with ${algorithms.join(", ")}.`, "svc-identity/verify accepts HS256 only.");
  return ok(`issuer ${issuer}, HS256`);
}

/** A development server's own clock decides about tokens, and may have been moved; elsewhere the `Date` header tells. */
async function clockCheck(context: Context, base: string, date: string | null): Promise<Finding> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const clock = await controlOf(context, base)
    .then((control) => control?.request("GET /clock", { signal }))
    .catch(() => undefined);
  if (clock === undefined || clock.mode === "real") return skewCheck(clock?.now ?? date, context.now());
  return warning(
    `The service's clock was moved, and shows ${clock.now}. Tokens may seem expired, or not valid yet.`,
    "Reset it to real time with: svc dev clock reset",
  );
}

function skewCheck(date: string | null, now: Date): Finding {
  const theirs = date === null ? Number.NaN : new Date(date).getTime();
  if (Number.isNaN(theirs)) return skipped("The service does not send the time.", "Nothing to do.");
  const seconds = Math.round((now.getTime() - theirs) / 1000);
  if (Math.abs(seconds) <= CLOCK_SKEW_SECONDS) return ok("agrees with the service's");
  return failed(
    `This machine's clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} the service's.`,
    "Set the clock by NTP: tokens that are verified here may seem expired, or not valid yet.",
  );
}

async function keyCheck(context: Context, target: Target, address: Sourced): Promise<Finding> {
  if (target.secret_key === undefined)
    return warning("No secret key for this service.", "Set SVC_SECRET_KEY, or store the key with: svc login");
  try {
    await verifyKeyWithService(context, { ...target, base_url: address }, await requireKey(context, target));
    return ok(`accepted (${target.secret_key.source}), ${instanceInWords(context.network.instance)}`);
  } catch (error) {
    const { message, hint } = toFailure(error);
    return failed(message, hint ?? "Check the key with: svc whoami");
  }
}

import { connectionFault as addressFault, isLoopbackUrl, systemCode, urlFrom } from "../../http/address.ts";
import type { Context, Exchange, Surroundings } from "../context.ts";
import { proxyVariable, refusalOf, throughProxy } from "../../network/proxy.ts";
import { counted } from "../output/text.ts";
import { CLOCK_HEADER } from "../../wire/control/paths.ts";
import { INSTANCE_HEADER } from "../../wire/ids.ts";
import { CliError } from "../errors.ts";
import { exitOf, toFailure } from "../failure.ts";

type Explanation = readonly [message: string, hint: string];

/** The message and hint of an error: for a service's, which host it was, what happened and what to do. */
export function explainFailure(context: Surroundings, error: unknown): CliError {
  const { last, instance } = context.network;
  // What can't be read of an answer that is JSON may have another form or depth than any of a service. Of an answer that names
  // itself as one of svc, it is a defect.
  const isUnread = error instanceof TypeError || error instanceof RangeError;
  if (isUnread && last?.response && !namesItself(last.response))
    return new CliError(
      exitOf("unexpected_response"),
      `What ${new URL(last.url).host} answered can't be read as a service's answer.`,
      "It may be another program, or a version that is not compatible: check the address with svc whoami. If it is neither, this is a defect of svc.",
      "unexpected_response",
    );
  const failure = toFailure(error);
  // Its own words say more than those of the last request.
  const explained = last && !(error instanceof CliError) && explain(failure.code, error, last, context.env);
  if (explained) return new CliError(failure.exitCode, ...explained, failure.code);
  if (!last || !ABOUT_RECORDS.has(failure.code)) return failure;
  const where = `${new URL(last.url).host}${instance ? `, instance ${instance.subdomain}` : ""}`;
  const message = failure.message.replace(/\.(?= |$)|$/, ` (${where}).`);
  return new CliError(failure.exitCode, message, failure.hint, failure.code);
}

function namesItself({ headers }: NonNullable<Exchange["response"]>): boolean {
  return [INSTANCE_HEADER, CLOCK_HEADER].some((name) => headers.get(name) !== null);
}

/** What depends on the instance that was asked. */
const ABOUT_RECORDS: ReadonlySet<string> = new Set(["user_not_found", "session_not_found"]);

function explain(code: string, error: unknown, exchange: Exchange, env: Context["env"]): Explanation | undefined {
  const { host, pathname } = new URL(exchange.url);
  const header = (name: string): string => exchange.response?.headers.get(name) ?? "";
  switch (code) {
    case "connection":
      return connectionFault(error, exchange, env);
    case "timeout":
      return [
        `${host} did not answer within ${counted(exchange.timeoutMs / 1000, "second")}${exchange.proxy === undefined ? "" : throughProxy(exchange.url, env)}.`,
        `Allow more time with --timeout ${Math.ceil(exchange.timeoutMs / 500)}s.`,
      ];
    case "redirect_refused":
      return [
        `${host} redirected to ${hostOf(header("location"), exchange.url)}. Not followed, to protect your key.`,
        "Check the address with: svc whoami. If a sign-in page guards it, ask for an address that programs may use.",
      ];
    case "unauthorized":
      if (exchange.key === undefined) return undefined;
      return [
        `${host} refused the key ${exchange.key}.`,
        "It may have been replaced, or be the key of another instance: ask the operator of the service.",
      ];
    case "rate_limited":
      return [
        `${host} is limiting the rate of requests (429).`,
        header("retry-after")
          ? `Try again after ${header("retry-after").replace(/^\d+$/, "$& s")}.`
          : "Try again later.",
      ];
    case "unexpected_response":
    case "unavailable":
    case "storage_unavailable":
    case "internal":
      return badAnswer(host, exchange, header("content-type"));
    case "not_found":
      // Of the control API it is about a record.
      if ((error as Error).name !== "ApiError")
        return (error as Error).message === "Not found"
          ? [`${host} has no ${pathname} (404).`, toFailure(error).hint!]
          : undefined;
      return [
        `${host} has no ${pathname} (404), so this is not the address of an instance.`,
        "Check the address, and the path in it, with: svc whoami",
      ];
    default:
      return undefined;
  }
}

function badAnswer(host: string, { url, response }: Exchange, contentType: string): Explanation {
  const { status = 0 } = response ?? {};
  const later = "Try again shortly, or wait for it with --wait 60s.";
  if (status === 502 || status === 504)
    return [`The gateway of ${host} returned ${status}: the service behind it does not answer.`, later];
  if (status === 503) return [`${host} is unavailable (503).`, later];
  if (status >= 500)
    return [`${host} failed with ${status}.`, isLoopbackUrl(url) ? "See what the server printed." : "Check its logs."];
  const kind = /html/i.test(contentType) ? "HTML" : "something else";
  return [
    `${host} returned ${kind}, not the JSON of this service (${status}).`,
    "It may be a login page, a proxy or another program. Check the address with: svc whoami",
  ];
}

/** Codes of Node's TLS, DNS and sockets, and of undici. */
function connectionFault(error: unknown, exchange: Exchange, env: Context["env"]): Explanation {
  const { url, proxy, response } = exchange;
  const { host, hostname } = new URL(url);
  // What our own errors have is in the cause of their cause.
  const code = systemCode((error as { cause?: unknown }).cause ?? {}) || systemCode(error);
  const isLocal = isLoopbackUrl(url);
  if (response)
    return [
      `${host} closed the connection in the middle of its response (${code || "cut off"}).`,
      isLocal ? "Try again. If it happens again, see what the server printed." : "Try again, or check its logs.",
    ];
  const variable = proxyVariable(new URL(url).protocol, env);
  if (proxy !== undefined && !urlFrom(proxy))
    return [
      `${variable} is not an address.`,
      "Write it as http://proxy.example.com:8080, or add the host to NO_PROXY.",
    ];
  if (proxy !== undefined) {
    return [
      `${host} could not be reached${throughProxy(url, env)} (${refusalOf(error)}).`,
      `Check ${variable}, or add the host to NO_PROXY.`,
    ];
  }
  const fault = addressFault(url, code);
  if (fault) return [`${fault[0]}.`, `${fault[1]}.`];
  if (code === "ECONNREFUSED")
    return isLocal
      ? [`Nothing listens at ${host} (${code}).`, "Start a local server with: svc serve"]
      : [`${host} refused the connection (${code}).`, "Check the address and the port with: svc whoami"];
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return [`DNS cannot find ${hostname} (${code}).`, "Check the address with: svc whoami. A VPN may be needed."];
  const certificate = CERTIFICATE.get(code);
  if (certificate) return [`The certificate of ${host} ${certificate[0]}.`, certificate[1]];
  if (UNTRUSTED.test(code))
    return [
      `The certificate of ${host} is not trusted (${code}).`,
      "Name the authority that signed it: NODE_EXTRA_CA_CERTS=/path/to/ca.pem",
    ];
  if (UNREACHABLE.has(code))
    return [`${host} cannot be reached from here (${code}).`, "Check the network, a VPN, or HTTPS_PROXY."];
  return [
    `${host} could not be reached (${code || "the connection failed"}).`,
    "Find out what is wrong with: svc doctor",
  ];
}

const CERTIFICATE: ReadonlyMap<string, Explanation> = new Map([
  ["CERT_HAS_EXPIRED", ["has expired", "Renew it on the server. If it is new, check this machine's clock."]],
  ["CERT_NOT_YET_VALID", ["is not valid yet", "Check this machine's clock."]],
  ["ERR_TLS_CERT_ALTNAME_INVALID", ["is for another name", "Check the address with: svc whoami"]],
]);

const UNREACHABLE = new Set(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"]);

const UNTRUSTED = /^(?:DEPTH_ZERO_)?SELF_SIGNED_CERT|^UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF)/;

function hostOf(location: string, base: string): string {
  return (location !== "" && urlFrom(location, base)?.host) || "another address";
}

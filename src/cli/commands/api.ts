import { resolve } from "node:path";
import { errorCode } from "../../wire/errors.ts";
import { encodePair, trimSlash } from "../../http/request.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../wire/ids.ts";
import { parsedJson } from "../../text/json.ts";
import { collect, runs, type Flags, type Program } from "../command.ts";
import { requireKey, timeoutMs } from "../connection/client.ts";
import { chosenIn } from "../connection/consent.ts";
import { exchange, type Answer } from "../connection/exchange.ts";
import { explainFailure } from "../connection/explain-failure.ts";
import type { Target } from "../connection/sources.ts";
import { resolveTarget } from "../connection/target.ts";
import type { Context, Needs, Surroundings } from "../context.ts";
import { UsageError, CliError, EXIT, type ExitCode } from "../errors.ts";
import { inOneLine, exitOf } from "../failure.ts";
import { readInput } from "../files.ts";
import { harmless, harmlessJson } from "../output/text.ts";
import { pairFrom } from "../quantities.ts";
import { urlFrom } from "../../http/address.ts";
import { few } from "../../text/suggestion.ts";

export interface ApiOptions extends Flags<"input", "include"> {
  readonly field?: readonly string[];
}

const WITHOUT_SLASH = "Leave out the slash at the end of the path, or write the id behind it.";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/** The one endpoint that is found at {api_url}. */
const INSTANCES_PATH = "/api/v1/instances/search";

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("api <method> <path>")
    .option("-F, --field <name=value>", "add to the query of a GET, else to a JSON body; can be repeated", collect)
    .option("--input <file>", "send this file as the body; - reads standard input")
    .option("-i, --include", "print status and headers before the body");
  runs(command, context, needsOf, runApi, {
    examples: [
      ["svc api GET /api/v1/users", "print the response body"],
      ["svc api GET /api/v1/users/search -F 'query=email:*@acme.test'", "with encoded fields"],
      ["svc api POST /api/v1/tokens/verify --input body.json", "with your own body"],
      ["svc api GET '/sign-in?redirect_uri=https://your.app' --include", "to see a redirect"],
    ],
    notes:
      "The key is sent with paths below /api/, and only to its own service. The exit code follows the status: 0 below\n" +
      "400, 2 for a malformed request, 3 for 404, 4 for a refused key, 5 for an invalid token, 7 for 429 and 5xx. Nothing\n" +
      "is repeated.",
  });
}

function needsOf(_: object, [verb = "GET"]: readonly string[]): Needs {
  return /^(?:put|patch|delete)$/i.test(verb) ? { on: "instance", changes: true } : { on: "instance" };
}

export async function runApi(context: Context, options: ApiOptions, verb: string, path: string): Promise<ExitCode> {
  const method = verb.toUpperCase();
  if (!METHODS.includes(method))
    throw new UsageError(`Unknown method "${method}".`, `Use one of ${METHODS.join(", ")}.`);
  const target = await resolveTarget(context);
  const { isNamed, instances } = chosenIn(target);
  if (context.needs?.changes && !isNamed && instances.length > 1)
    throw new UsageError(
      `${method} does not choose among the instances ${few(instances)}. Nothing was sent.`,
      `If that is what you expect, add: --instance ${instances[0]}`,
    );
  const isForApi = path.split("?")[0] === INSTANCES_PATH && target.api_url !== undefined;
  const url = urlOf(path, (isForApi ? target.api_url : target.base_url)?.value);
  const isQuery = method === "GET" || method === "HEAD" || method === "DELETE";
  const fields = (options.field ?? []).map((field) => pairFrom("--field", field));
  if (isQuery) url.search = [url.search.slice(1), ...fields.map(encodePair)].filter(Boolean).join("&");
  if (options.input !== undefined && fields.length > 0 && !isQuery)
    throw new UsageError("--input and --field are mutually exclusive.", "Use one of them.");
  const { input } = options;
  const json = isQuery || fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
  const body = input === undefined ? json : await readInput(context, input, `--input: ${resolve(context.cwd, input)}`);
  const headers = {
    ...(url.pathname.startsWith("/api/") && (await keyHeaders(context, target, isForApi))),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const request = {
    method,
    headers,
    ...(body !== undefined && { body }),
    certificate: target.server?.certificate,
    timeoutMs: timeoutMs(context),
  };
  // A person who debugs a service wants to see its first response, so nothing is repeated.
  const answer = await exchange(context, url.href, request).catch((error: unknown) => {
    throw explainFailure(context, error);
  });
  return print(context, answer, options.include === true, url.pathname);
}

/** A key is sent to the service that it is for: other addresses are refused, also whole ones. */
function urlOf(path: string, base: string | undefined): URL {
  if (base === undefined) throw new UsageError("No instance address.", "Set it with --base-url or SVC_BASE_URL.");
  const root = trimSlash(base);
  const isPath = path.startsWith("/") && !/^\/[/\\]/.test(path);
  const url = urlFrom(isPath ? root + path : path);
  if (url?.origin === new URL(root).origin && url.username === "") return url;
  throw new UsageError(
    `"${path}" is not a path of ${new URL(root).origin}.`,
    "Begin it with a slash, such as /api/v1/users. Choose another service with --base-url or --profile.",
  );
}

/** Instances are found with a publishable key, at another address than the one that the secret key is for. */
async function keyHeaders(context: Context, target: Target, isForApi: boolean): Promise<Record<string, string>> {
  if (target.secret_key && !isForApi) return { [SECRET_KEY_HEADER]: await requireKey(context, target) };
  return target.publishable_key ? { [PUBLISHABLE_KEY_HEADER]: target.publishable_key.value } : {};
}

function print({ stdout }: Context, { response, text }: Answer, withHead: boolean, path: string): ExitCode {
  const body = parsedJson(text);
  if (withHead) {
    stdout.write(`HTTP ${response.status}\n`);
    for (const name of ["content-type", "location", "link", "retry-after", "date"]) {
      const value = response.headers.get(name);
      if (value !== null) stdout.write(`${name}: ${harmless(value)}\n`);
    }
    stdout.write("\n");
  }
  if (body !== undefined && stdout.isTTY) stdout.write(`${harmlessJson(body, 2)}\n`);
  else if (stdout.isTTY) stdout.write(text === "" ? "" : `${text.split("\n").map(harmless).join("\n")}\n`);
  // For a program each byte as it came. What a log shows next begins a line.
  else stdout.write(body !== undefined || response.status >= 400 ? text.replace(/(?<=[^\n])$/, "\n") : text);
  if (response.status < 400) return EXIT.done;
  const { error } = (body ?? {}) as { error?: unknown };
  const sentence = typeof error === "string" ? inOneLine(error) : "the service gave no reason";
  const code = (typeof error === "string" && errorCode(response.status, { error })) || "unknown";
  // The path is the user's own.
  const exitCode = response.status === 404 ? EXIT.notFound : exitOf(code, response.status);
  const hint = code === "not_found" && path.endsWith("/") ? WITHOUT_SLASH : undefined;
  throw new CliError(exitCode, `${response.status}: ${sentence}`, hint, code);
}

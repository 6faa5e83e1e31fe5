import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { errorCode } from "../../wire/errors.ts";
import type { FetchResponse } from "../../wire/fetch.ts";
import { PUBLISHABLE_KEY_HEADER, SECRET_KEY_HEADER } from "../../wire/names.ts";
import { optionsOf, requireKey, type GlobalFlags } from "../connection/client-options.ts";
import { readStdin, type Context } from "../context.ts";
import { CliError, EXIT, exitOfApi, type ExitCode } from "../errors.ts";
import { withHelp } from "../help/with-help.ts";
import { harmless, harmlessJson } from "../output/text.ts";
import type { Program } from "../program.ts";
import { resolveTarget, type Target } from "../connection/target.ts";
import { fetchOf, reasonOf } from "../connection/client.ts";

interface ApiFlags {
  readonly field?: readonly string[];
  readonly input?: string;
  readonly include?: boolean;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/** The one endpoint that is found at {api_url}. */
const INSTANCES_PATH = "/api/v1/instances/search";
const DEFAULT_TIMEOUT_MS = 10_000;

export function addApi(program: Program, context: Context): void {
  const api = program
    .command("api <method> <path>")
    .option("-F, --field <name=value>", "into the query of a GET, else into a JSON body; can be repeated", collect)
    .option("--input <file>", "the body, as it is; - reads it from standard input")
    .option("-i, --include", "print the status and the headers before the body")
    .action(async (method: string, path: string, own: ApiFlags) => {
      program.exitCode = await send(context, program.opts<GlobalFlags>(), method.toUpperCase(), path, own);
    });
  withHelp(api, {
    examples: [
      ["svc api GET /api/v1/users", "the body as it is"],
      ["svc api GET /api/v1/users/search -F 'query=email:*@acme.com'", "fields are encoded"],
      ["svc api POST /api/v1/tokens/verify --input body.json", "a body of your own"],
      ["svc api GET '/sign-in?redirect_uri=https://your.app' --include", "shows a redirect"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.notFound, EXIT.noKey, EXIT.tokenInvalid, EXIT.unreachable],
    notes:
      "The key is sent with paths below /api/ and to no other service than its own. The exit code is that of the\n" +
      "status: 0 below 400, 4 for a key and 5 for a token that was refused, 3 for 404, 1 for anything else.",
  });
}

async function send(
  context: Context,
  flags: GlobalFlags,
  method: string,
  path: string,
  own: ApiFlags,
): Promise<ExitCode> {
  if (!METHODS.includes(method))
    throw new CliError(EXIT.usage, `"${method}" is no method.`, `Use one of ${METHODS.join(", ")}.`);
  const target = await resolveTarget(context, flags);
  const isForApi = path.split("?")[0] === INSTANCES_PATH && target.api_url !== undefined;
  const url = urlOf(path, isForApi ? optionsOf(context, target).apiUrl : optionsOf(context, target).baseUrl);
  const isQuery = method === "GET" || method === "HEAD" || method === "DELETE";
  const fields = (own.field ?? []).map(splitField);
  if (isQuery) url.search = [url.search.slice(1), ...fields.map(encodeField)].filter(Boolean).join("&");
  if (own.input !== undefined && fields.length > 0 && !isQuery)
    throw new CliError(EXIT.usage, "--input is the whole body, and --field would be in it.", "Use one of the two.");
  const body = own.input === undefined ? jsonBody(isQuery ? [] : fields) : await readInput(context, own.input);
  const headers = {
    accept: "application/json",
    ...(url.pathname.startsWith("/api/") && (await keyHeaders(target, isForApi))),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const response = await exchange(context, target, url.href, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  return print(context, response, own.include === true);
}

/** A key goes to the service that it is for: other addresses are refused even where they are written whole. */
function urlOf(path: string, base: string | undefined): URL {
  if (base === undefined)
    throw new CliError(
      EXIT.usage,
      "Which instance is to be asked?",
      "Name its address with --base-url or SVC_BASE_URL.",
    );
  const root = base.replace(/\/+$/, "");
  const isPath = path.startsWith("/") && !/^\/[/\\]/.test(path);
  const url = isPath || URL.canParse(path) ? new URL(isPath ? root + path : path) : undefined;
  if (url?.origin === new URL(root).origin && url.username === "") return url;
  throw new CliError(
    EXIT.usage,
    `"${path}" is no path of ${new URL(root).origin}.`,
    "Begin it with a slash, e.g. /api/v1/users. Another service is named with --base-url or --profile.",
  );
}

/** Instances are found with a publishable key, and elsewhere than where the secret key is for. */
async function keyHeaders(target: Target, isForApi: boolean): Promise<Record<string, string>> {
  if (target.secret_key && !isForApi) return { [SECRET_KEY_HEADER]: await requireKey(target) };
  return target.publishable_key ? { [PUBLISHABLE_KEY_HEADER]: target.publishable_key.value } : {};
}

function splitField(field: string): [name: string, value: string] {
  const at = field.indexOf("=");
  if (at > 0) return [field.slice(0, at), field.slice(at + 1)];
  throw new CliError(EXIT.usage, `--field: "${field}" is not name=value.`);
}

/** Spaces as %20: a strict reader takes `+` for itself. */
function encodeField([name, value]: [string, string]): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

function jsonBody(fields: readonly [string, string][]): string | undefined {
  return fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
}

async function readInput(context: Context, input: string): Promise<string> {
  if (input === "-") return readStdin(context);
  const path = resolve(context.cwd, input);
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, `--input: ${path} can't be read (${error.code}).`);
  });
}

interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

async function exchange(
  context: Context,
  target: Target,
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string },
): Promise<Answer> {
  const fetch = await fetchOf(context, target);
  const signal = AbortSignal.timeout(optionsOf(context, target).timeoutMs ?? DEFAULT_TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    return { response, text: await response.text() };
  } catch (error) {
    const what = signal.aborted ? "did not answer in time" : `could not be reached (${reasonOf(error)})`;
    throw new CliError(EXIT.unreachable, `${new URL(url).origin} ${what}.`, "Look for what is wrong with: svc doctor");
  }
}

function print({ stdout, stderr }: Context, { response, text }: Answer, withHead: boolean): ExitCode {
  const body = parseJson(text);
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
  // For a program each byte as it came.
  else stdout.write(text);
  if (response.status < 400) return EXIT.done;
  const { error, valid } = (body ?? {}) as { error?: unknown; valid?: unknown };
  const sentence = typeof error === "string" ? harmless(error) : "no reason was given";
  stderr.write(`✗ ${response.status}: ${sentence}\n`);
  if (valid === false) return EXIT.tokenInvalid;
  if (response.status === 404) return EXIT.notFound;
  return exitOfApi(typeof error === "string" ? (errorCode(response.status, { error }) ?? "") : "");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

import { runs, withHelp, type GlobalFlags, type Program } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson, printRecord } from "../output/text.ts";
import { codeOf, exchange, type Answer } from "../connection/exchange.ts";
import { trimSlash } from "../../wire/http/path.ts";

const PACKAGE = "svc-identity";
const REGISTRY = "https://registry.npmjs.org";
const TIMEOUT_MS = 5_000;

export interface VersionOptions extends GlobalFlags {
  readonly check?: boolean;
}

export function addVersion(program: Program, context: Context): void {
  const command = program.command("version").option("--check", "ask the npm registry for the newest version");
  withHelp(command, {
    examples: [
      ["svc version", "versions of svc, Node.js and the system"],
      ["svc version --check", "asks the npm registry"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.unreachable],
    notes: "svc never checks for updates by itself, and sends no usage data.",
  });
  runs(command, (options: VersionOptions) => runVersion(context, options, program.version()!));
}

/** Prints this version, and with `check` whether there is a newer one. */
export async function runVersion(context: Context, options: VersionOptions, version: string): Promise<void> {
  const latest = options.check ? await newest(context) : undefined;
  const facts = { version, node: process.version, platform: `${process.platform}-${process.arch}` };
  if (options.json)
    printJson(context, { ...facts, ...(latest !== undefined && { latest, is_latest: !isNewer(latest, version) }) });
  else printRecord(context, { ...facts, ...(latest !== undefined && { latest }) });
  if (latest === undefined) return;
  context.stderr.write(
    isNewer(latest, version)
      ? `There is a newer version. Get it with: npm install ${PACKAGE}@${latest}\n`
      : "This is the newest version.\n",
  );
}

async function newest(context: Context): Promise<string> {
  const registry = trimSlash(context.env["npm_config_registry"] || REGISTRY);
  const { response, text } = await ask(context, `${registry}/${PACKAGE}/latest`);
  const { status } = response;
  const version = /"version"\s*:\s*"(\d+\.\d+\.\d+(?:-[\w.]+)?)"/.exec(text)?.[1];
  if (status === 200 && version !== undefined) return version;
  const what = status === 404 ? `does not know ${PACKAGE}` : `returned an unexpected answer (${status})`;
  throw new CliError(EXIT.failed, `The registry at ${registry} ${what}.`, "This version still works.");
}

async function ask(context: Context, url: string): Promise<Answer> {
  try {
    return await exchange(context, url, { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    throw new CliError(
      EXIT.unreachable,
      `${new URL(url).origin} could not be reached (${codeOf(error) || "no answer"}).`,
      "Everything else works without a network.",
    );
  }
}

/** By the rules of semver.org, 11, as far as they go without build metadata. */
function isNewer(one: string, other: string): boolean {
  const [[a, b], [preA = "", preB = ""]] = [
    [one, other].map((version) => version.split("-")[0]!.split(".").map(Number)),
    [one, other].map((version) => version.split("-")[1]),
  ] as [[number[], number[]], [string | undefined, string | undefined]];
  const at = a.findIndex((number, i) => number !== b[i]);
  if (at >= 0) return a[at]! > b[at]!;
  if (preA === preB) return false;
  return preA === "" || (preB !== "" && preA.localeCompare(preB, "en", { numeric: true }) > 0);
}

import { lookup } from "node:dns/promises";
import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { systemReason } from "../../../disk/system-reason.ts";
import { CONFIG_FILE, DEFAULT_PORT } from "../../../wire/serve.ts";
import { parsedJson } from "../../../wire/text/json.ts";
import { exchange } from "../../connection/exchange.ts";
import { findRunningServer } from "../../connection/running-server.ts";
import type { Context } from "../../context.ts";
import { listProfiles, readCurrent, requireProfile } from "../../credentials/profiles.ts";
import { toFailure } from "../../failure.ts";
import { configDirectory } from "../../places.ts";
import { failed, inOneLine, ok, skipped, warning, type Finding } from "./finding.ts";
import { otherStoresCheck, storeCheck } from "./stores.ts";

const OLDEST_NODE = [20, 19];
const TIMEOUT_MS = 1_000;

/** What can be seen without asking the service. */
export const MACHINE_CHECKS: Readonly<Record<string, (context: Context) => Finding | Promise<Finding>>> = {
  node: () => nodeCheck(process.versions.node),
  profiles: profilesCheck,
  keyring: keyringCheck,
  [CONFIG_FILE]: configFileCheck,
  store: storeCheck,
  "other stores": otherStoresCheck,
  port: portCheck,
  "localhost names": namesCheck,
};

export function nodeCheck(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNewEnough = major > OLDEST_NODE[0]! || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]!);
  if (isNewEnough) return ok(`Node.js ${version}`);
  return failed(`Node.js ${version} is too old.`, `Install ${OLDEST_NODE.join(".")} or later.`);
}

/** All of them, so that a damaged one is found before it's needed. */
async function profilesCheck(context: Context): Promise<Finding> {
  const directory = configDirectory(context.env);
  if (directory === undefined)
    return warning("No directory for profiles: HOME is not set.", "Set HOME or SVC_CONFIG_DIR.");
  try {
    const current = await readCurrent(context);
    const names = await listProfiles(context);
    for (const name of names) await requireProfile(context, name);
    if (current !== undefined && !names.includes(current))
      return failed(`The current profile, "${current}", does not exist.`, "Choose another: svc profiles use <name>");
    return ok(`${names.length} in ${directory}${current === undefined ? "" : `, current: ${current}`}`);
  } catch (error) {
    const { message, hint = "Fix or delete the file." } = toFailure(error);
    return failed(message, hint);
  }
}

async function keyringCheck(context: Context): Promise<Finding> {
  if (context.env["SVC_KEYRING"] === "off") return ok("turned off by SVC_KEYRING");
  try {
    await (await context.openKeyring()).get("probe");
    return ok("available");
  } catch (error) {
    const [reason] = (error as Error).message.split("\n");
    return skipped(
      `No keyring is available (${reason}). A local server needs none.`,
      "For another service: set SVC_SECRET_KEY, or store its key in a file: svc login --insecure-storage",
    );
  }
}

/** Reads the file as svc serve does. */
async function configFileCheck(context: Context): Promise<Finding> {
  const isThere = await stat(join(context.cwd, CONFIG_FILE)).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT",
  );
  if (!isThere) return ok("none in this directory; svc serve uses its defaults");
  try {
    await configuredPort(context);
    return ok("valid");
  } catch (error) {
    const message = inOneLine(toFailure(error).message);
    const isValid = await configuredPort(context, CONFIG_FILE).then(
      () => true,
      () => false,
    );
    if (isValid) return warning(message, `Start with: svc serve --config ${CONFIG_FILE}`);
    return failed(message, "Correct the file: svc serve does not start with it.");
  }
}

/** What the file sets. @param config the file, as `--config` names it @throws if svc serve would not start with the file */
async function configuredPort(context: Context, config?: string): Promise<number | undefined> {
  const { serveOptions } = await import("../serve/options.ts");
  // Without the environment, so that every fault is the file's.
  return (await serveOptions({ ...context, env: {} }, config === undefined ? {} : { config })).port;
}

async function portCheck(context: Context): Promise<Finding> {
  const server = await findRunningServer(context);
  if (server) return ok(`${new URL(server.url).port} is used by svc serve, pid ${server.pid}`);
  const configured = await configuredPort(context, CONFIG_FILE).catch(() => undefined);
  const port = Number(context.env["SVC_PORT"] || configured || DEFAULT_PORT);
  const probe = createServer();
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    probe.once("error", resolve).listen(port, "127.0.0.1", () => resolve(undefined));
  });
  if (!error) {
    await new Promise((resolve) => probe.close(resolve));
    return ok(`${port} is free`);
  }
  if (error.code !== "EADDRINUSE")
    return warning(
      `${port} cannot be used: ${systemReason(error)}.`,
      "Choose another port with: svc serve --port <number>",
    );
  const owner = (await isService(context, port)) ? "another svc serve" : "another program";
  return warning(
    `${port} is in use by ${owner}.`,
    "Stop it, or choose another port: svc serve --port 0 takes a free one.",
  );
}

/** Whether a server of ours answers at a port, whose directory is not known. */
async function isService(context: Context, port: number): Promise<boolean> {
  try {
    const url = `http://localhost:${port}/__svc/health/live`;
    const { text } = await exchange(context, url, { timeoutMs: TIMEOUT_MS });
    return (parsedJson(text) as { status?: unknown } | undefined)?.status === "ok";
  } catch {
    return false;
  }
}

/** svc and browsers know the way by themselves; other programs ask the system. */
async function namesCheck(context: Context): Promise<Finding> {
  const server = await findRunningServer(context);
  const frontDoor = server?.url ?? "http://localhost, with the port of the server";
  // Every server has the name api.localhost; that of an instance is of more use.
  const name = `${server?.instances[0]?.subdomain ?? "api"}.localhost`;
  const found = await lookup(name).catch(() => undefined);
  if (found && /^127\.|^::1$/.test(found.address)) return ok(`${name} resolves to this machine`);
  if (found)
    return failed(
      `${name} resolves to ${found.address}.`,
      `A DNS resolver answers for localhost, against RFC 6761, 6.3. Use ${frontDoor}.`,
    );
  return skipped(
    `The system does not resolve ${name}. svc and browsers do by themselves.`,
    `For other programs use ${frontDoor}, or add the names to /etc/hosts.`,
  );
}

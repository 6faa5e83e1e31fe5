import { lookup } from "node:dns/promises";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { DEFAULT_PORT } from "../../../wire/names.ts";
import type { Context } from "../../context.ts";
import { toFailure } from "../../errors.ts";
import { configDirectory, listProfiles, readCurrent, requireProfile } from "../../credentials/profiles.ts";
import { findRunningServer } from "../../connection/running-server.ts";
import { failed, ok, skipped, warning, type Check } from "./check.ts";

const OLDEST_NODE = [20, 19];

/** What can be seen without asking the service. */
export const MACHINE_CHECKS: readonly ((context: Context) => Promise<Check>)[] = [
  async () => nodeCheck(process.versions.node),
  profilesCheck,
  keyringCheck,
  configFileCheck,
  storeCheck,
  portCheck,
  namesCheck,
];

export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNewEnough = major > OLDEST_NODE[0]! || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]!);
  if (isNewEnough) return ok("node", `Node.js ${version}`);
  return failed("node", `Node.js ${version} is too old.`, `Install ${OLDEST_NODE.join(".")} or later.`);
}

/** All of them, so that a damaged one is found before it's needed. */
async function profilesCheck(context: Context): Promise<Check> {
  const directory = configDirectory(context.env);
  if (directory === undefined)
    return warning(
      "profiles",
      "There is no place for profiles: HOME is not set.",
      "Set HOME, or name a directory in SVC_CONFIG_DIR.",
    );
  try {
    const current = await readCurrent(context);
    const names = await listProfiles(context);
    for (const name of names) await requireProfile(context, name);
    if (current !== undefined && !names.includes(current))
      return failed(
        "profiles",
        `The current profile, "${current}", is not there.`,
        "Choose another: svc profiles use <name>",
      );
    return ok("profiles", `${names.length} in ${directory}${current === undefined ? "" : `, current: ${current}`}`);
  } catch (error) {
    const { message, hint = "Mend the file, or take it away." } = toFailure(error);
    return failed("profiles", message, hint);
  }
}

async function keyringCheck(context: Context): Promise<Check> {
  if (context.env["SVC_KEYRING"] === "off") return ok("keyring", "switched off by SVC_KEYRING");
  try {
    await (await context.openKeyring()).get("probe");
    return ok("keyring", "can be used");
  } catch (error) {
    const [reason] = (error as Error).message.split("\n");
    return warning(
      "keyring",
      `There is none that can be used (${reason}).`,
      "Keep keys in SVC_SECRET_KEY, or in a file: svc login --insecure-storage",
    );
  }
}

async function configFileCheck({ cwd }: Context): Promise<Check> {
  const name = "svc.config.json";
  const text = await readFile(join(cwd, name), "utf8").catch((error: NodeJS.ErrnoException) => error.code ?? "error");
  if (text === "ENOENT") return ok(name, "none in this directory; svc serve uses its defaults");
  try {
    JSON.parse(text);
    return ok(name, "can be read");
  } catch {
    return failed(name, `It can't be read as JSON.`, "svc serve says where it is wrong.");
  }
}

async function storeCheck({ cwd }: Context): Promise<Check> {
  const open: string[] = [];
  const paths = [".svc", ".svc/db.json", ".svc/db.journal", ".svc/server.json"];
  for (const path of paths) {
    const found = await stat(join(cwd, path)).catch(() => undefined);
    if (found && (found.mode & 0o077) !== 0) open.push(path);
  }
  if (open.length === 0 || process.platform === "win32") return ok("store", "nobody else can read it");
  return failed("store", `Others can look into ${open.join(", ")}, which hold secret keys.`, "Run: chmod -R go= .svc");
}

async function configuredPort(cwd: string): Promise<number | undefined> {
  const text = await readFile(join(cwd, "svc.config.json"), "utf8").catch(() => "{}");
  try {
    return (JSON.parse(text) as { port?: number }).port;
  } catch {
    return undefined;
  }
}

async function portCheck({ cwd, env }: Context): Promise<Check> {
  const server = await findRunningServer(cwd);
  if (server) return ok("port", `${new URL(server.url).port} is svc's, process ${server.pid}`);
  const port = Number(env["SVC_PORT"] || (await configuredPort(cwd)) || DEFAULT_PORT);
  const probe = createServer();
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    probe.once("error", resolve).listen(port, "127.0.0.1", () => resolve(undefined));
  });
  if (!error) {
    await new Promise((resolve) => probe.close(resolve));
    return ok("port", `${port} is free`);
  }
  return warning(
    "port",
    `${port} can't be listened on (${error.code}).`,
    "svc serve needs another: svc serve --port 0 takes any that is free.",
  );
}

/** svc and browsers know the way by themselves; other programs ask the system. */
async function namesCheck(): Promise<Check> {
  const found = await lookup("acme.localhost").catch(() => undefined);
  if (found && /^127\.|^::1$/.test(found.address)) return ok("localhost names", "acme.localhost is this machine");
  if (found)
    return failed(
      "localhost names",
      `acme.localhost leads to ${found.address}.`,
      "A resolver answers for localhost, which it must not (RFC 6761, 6.3). Use http://localhost:7820.",
    );
  return skipped(
    "localhost names",
    "The system does not know acme.localhost. svc and browsers do not need it to.",
    "For other programs use http://localhost:7820, or add the names to /etc/hosts.",
  );
}

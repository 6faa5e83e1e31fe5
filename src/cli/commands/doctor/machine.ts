import { lookup } from "node:dns/promises";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { systemReason } from "../../../disk/system-reason.ts";
import { CONFIG_FILE, DEFAULT_PORT } from "../../../wire/serve.ts";
import { proxyOf, proxyVariable } from "../../../network/proxy.ts";
import { timeoutMs } from "../../connection/client.ts";
import { exchange } from "../../connection/exchange.ts";
import { explainFailure } from "../../connection/explain-failure.ts";
import { findRunningServer, findServerOn } from "../../connection/running-server.ts";
import type { Context } from "../../context.ts";
import { toFailure } from "../../failure.ts";
import { counted, quoted } from "../../output/text.ts";
import { few } from "../../../text/suggestion.ts";
import { dataDirectory, storesDirectory } from "../../places.ts";

export interface Finding {
  readonly status: "ok" | "warning" | "failed" | "skipped";
  readonly message: string;
  /** What to do, for all but `ok`. */
  readonly remedy?: string;
}

type WithRemedy = (message: string, remedy: string) => Finding;

export const ok = (message: string): Finding => ({ status: "ok", message });
export const warning: WithRemedy = (message, remedy) => ({ status: "warning", message, remedy });
export const failed: WithRemedy = (message, remedy) => ({ status: "failed", message, remedy });
export const skipped: WithRemedy = (message, remedy) => ({ status: "skipped", message, remedy });

/** A message that lists faults, each in a line. */
function inOneLine(message: string): string {
  return message.replace(/:\n +/, ": ").replaceAll(/\n +/g, "; ");
}

/** What can be seen without asking the service. */
export const MACHINE_CHECKS: Readonly<Record<string, (context: Context) => Promise<Finding>>> = {
  [CONFIG_FILE]: configFileCheck,
  stores: storesCheck,
  port: portCheck,
  "localhost names": namesCheck,
  proxy: proxyCheck,
};

/** Reads the file as svc serve does. */
async function configFileCheck(context: Context): Promise<Finding> {
  if (!existsSync(join(context.cwd, CONFIG_FILE))) return ok("none in this directory; svc serve uses its defaults");
  try {
    await configuredPort(context);
    return ok("valid");
  } catch (error) {
    const { message, hint = "Correct the file: svc serve does not start with it." } = toFailure(error);
    return failed(inOneLine(message), hint);
  }
}

/** @throws if svc serve would not start with the file in this environment */
async function configuredPort(context: Context): Promise<number | undefined> {
  const { serveOptions } = await import("../serve/options.ts");
  return (await serveOptions(context, {})).port;
}

/** The stores of directories that are gone: nothing else removes them. */
async function storesCheck({ env }: Context): Promise<Finding> {
  const { FOLDER_NOTE } = await import("../serve/place.ts");
  const data = dataDirectory(env);
  // Without a data directory there are none; what a repository brought must not be taken for one.
  const parent = data && storesDirectory(data);
  const names = parent === undefined ? [] : await readdir(parent).catch(() => []);
  const stores = await Promise.all(
    names.map(async (name) => {
      const place = join(parent!, name);
      const note = await readFile(join(place, FOLDER_NOTE), "utf8").catch(() => undefined);
      return { place, directory: note?.replace(/\n$/, "") };
    }),
  );
  const gone = stores.filter(({ directory }) => directory !== undefined && !existsSync(directory));
  if (gone.length === 0) return ok(counted(stores.length, "store"));
  return warning(
    `${counted(gone.length, "store")} of directories that are gone: ${few(gone.flatMap(({ directory }) => directory ?? []))}.`,
    `To delete their records: rm -r ${gone.map(({ place }) => quoted(place)).join(" ")}`,
  );
}

async function portCheck(context: Context): Promise<Finding> {
  const server = await findRunningServer(context);
  if (server) return ok(`${server.port} is used by svc serve, pid ${server.pid}`);
  const configured = await configuredPort(context).catch(() => undefined);
  const port = Number(context.env["SVC_PORT"] || configured || DEFAULT_PORT);
  const probe = createServer();
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    probe.once("error", resolve).listen(port, "127.0.0.1", () => resolve(undefined));
  });
  if (!error) {
    await new Promise((resolve) => probe.close(resolve));
    return ok(`${port} is free`);
  }
  const other = await findServerOn(context, port).catch(() => undefined);
  const owner = other ? `the svc server of ${other.directory}, pid ${other.pid}` : "another program";
  return warning(
    error.code === "EADDRINUSE" ? `${port} is in use by ${owner}.` : `${port} cannot be used: ${systemReason(error)}.`,
    "Choose another port: svc serve --port 0 takes a free one.",
  );
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

const TRY_MS = 5_000;

/** Asks the providers that have credentials here, as svc serve would. */
async function proxyCheck(context: Context): Promise<Finding> {
  const variable = proxyVariable("https:", context.env);
  if (variable === undefined) return ok("none for https");
  const { providerAddresses } = await import("../serve/options.ts");
  const addresses = await providerAddresses(context).catch(() => []);
  const asked = addresses.filter((address) => proxyOf(address, context.env) !== undefined);
  try {
    for (const address of asked) await exchange(context, address, { timeoutMs: timeoutMs(context, TRY_MS) });
  } catch (error) {
    const { message, hint = "" } = explainFailure(context, error);
    return failed(message, hint);
  }
  const hosts = asked.map((address) => new URL(address).host).join(" and ");
  return ok(asked.length === 0 ? `no provider is asked through ${variable}` : `${hosts} answers through ${variable}`);
}

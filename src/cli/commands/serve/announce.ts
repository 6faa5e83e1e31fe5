import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { RunningServer } from "../../../server/index.ts";
import { removeStale } from "../../connection/running-server.ts";
import type { RunningServerFile } from "../../connection/server-file.ts";
import type { Context } from "../../context.ts";
import { writePrivateFile } from "../../files.ts";
import { dataDirectory, realDirectory, serversDirectory } from "../../places.ts";
import { makePlace } from "./place.ts";

/**
 * Announces a server to the commands of its directory. Where that can't be written it serves all the same, and says so.
 * @returns the path of the server's file, if it could be written; what writes it again, if instances have come or gone or keys
 * were replaced; and what removes it
 */
export async function announce(
  context: Context,
  server: RunningServer,
  warn: (message: string) => void,
): Promise<{ path: string | undefined; onChange(): void; withdraw(): Promise<void> }> {
  const directory = realDirectory(context.cwd);
  const now = context.now();
  const name = `${server.port}-${randomBytes(4).toString("hex")}.json`;
  const path = join(serversDirectory(dataDirectory(context.env) ?? ""), name);
  let known = "";
  const write = async (): Promise<void> => {
    const text = `${JSON.stringify(fileOf(server, directory, now), null, 2)}\n`;
    if (text === known) return;
    known = text;
    await writePrivateFile(path, text);
  };
  try {
    await makePlace(context);
    await removeStale(context);
    await write();
  } catch (error) {
    warn(
      `${(error as Error).message} Commands here do not find this server: set SVC_DATA_DIR to a directory that you can write to.`,
    );
    return { path: undefined, onChange: () => undefined, withdraw: async () => undefined };
  }
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();
  const update = async (): Promise<void> => {
    if (!isStopped) await write().catch((error: Error) => warn(`${error.message} Commands know old keys.`));
  };
  return {
    path,
    onChange: () => void (writing = writing.then(update)),
    async withdraw() {
      isStopped = true;
      await writing;
      await rm(path, { force: true });
    },
  };
}

/** What commands need to know of a server, with the addresses where it listens: at its public one, another may. */
function fileOf(server: RunningServer, directory: string, now: Date): RunningServerFile {
  const { port, store, certificate, identity_secret, control_key, instances } = server;
  const local = (subdomain: string): string =>
    new URL(`${certificate === undefined ? "http" : "https"}://${subdomain}localhost:${port}`).origin;
  return {
    pid: process.pid,
    host: hostname(),
    port,
    directory,
    store,
    started_at: now.toISOString(),
    url: local(""),
    api_url: local("api."),
    certificate,
    identity_secret,
    control_key,
    instances: instances.map(({ id, name, subdomain, publishable_key, secret_key, active, redirect_uris }) => ({
      id,
      name,
      subdomain,
      url: local(`${subdomain}.`),
      program_url: local(""),
      publishable_key,
      secret_key,
      active,
      redirect_uris,
    })),
  };
}

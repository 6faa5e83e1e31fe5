// Below the faces: a server that has crashed, or is another version, left the file.

import { createHmac, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { makePlace } from "../src/cli/commands/serve/place.ts";
import { readServerFiles, type FoundServerFile, type RunningServerFile } from "../src/cli/connection/server-file.ts";
import { writePrivateFile } from "../src/cli/files.ts";
import { dataDirectory, placeOf, realDirectory } from "../src/cli/places.ts";

/** The identity proof of test servers that do not listen. */
export const IDENTITY_SECRET = "identity-of-the-tests";

type Instance = RunningServerFile["instances"][number];
type InstanceFacts = Omit<Instance, "program_url" | "active" | "redirect_uris"> & Partial<Instance>;

export interface ServerFacts extends Partial<Omit<RunningServerFile, "instances">> {
  readonly url: string;
  readonly api_url: string;
  readonly instances: readonly InstanceFacts[];
}

/** Each server is newer than the one before: those of one port would be found in any order. */
let started = Date.parse("2026-06-01T12:00:00.000Z");

/** What `svc serve` would write of a server. */
export function serverFile(directory: string, { instances, ...facts }: ServerFacts): RunningServerFile {
  return {
    pid: process.pid,
    host: hostname(),
    port: Number(new URL(facts.url).port),
    directory: realDirectory(directory),
    store: "memory",
    started_at: new Date(started++).toISOString(),
    identity_secret: IDENTITY_SECRET,
    ...facts,
    instances: instances.map((one) => ({ program_url: facts.url, active: true, redirect_uris: [], ...one })),
  };
}

/** Writes the file that `svc serve` writes. */
export async function writeRunning(directory: string, facts: ServerFacts): Promise<FoundServerFile> {
  const server = serverFile(directory, facts);
  return { ...server, path: await plantFile(server) };
}

/** Puts a file where those of servers are. @param content what is written as it is, or as JSON */
export async function plantFile(content: object | string): Promise<string> {
  const path = join(dataDirectory(process.env)!, "servers", `${randomBytes(6).toString("hex")}.json`);
  await writePrivateFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** The newest server's file of a directory. @param env that `svc serve` was started in */
export function runningIn(directory: string, env: NodeJS.ProcessEnv = process.env): FoundServerFile {
  const found = readServerFiles({ env }).find((one) => one.directory === realDirectory(directory));
  if (!found) throw new Error(`no server runs in ${directory}`);
  return found;
}

/** The place of a directory's store. */
export function placeIn(directory: string, env: NodeJS.ProcessEnv = process.env): string {
  return placeOf(dataDirectory(env)!, realDirectory(directory));
}

/** Leaves what shows that a server has run in a directory. */
export async function leaveTrace(directory: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return makePlace({ cwd: directory, env });
}

/** The answer of `GET /__svc/identity`, or undefined for any other address. */
export function identityAnswer(address: string): object | undefined {
  const { hostname: host, port, pathname, searchParams } = new URL(address);
  if (pathname !== "/__svc/identity") return undefined;
  const text = `identity ${searchParams.get("challenge")!} ${host}:${port || "80"}`;
  return { proof: createHmac("sha256", IDENTITY_SECRET).update(text).digest("hex") };
}

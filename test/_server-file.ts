import { createHmac } from "node:crypto";
import { newestPath, serverPath, writeServerFile, type RunningServerFile } from "../src/cli/connection/server-file.ts";

/** The identity proof of test servers that do not listen. */
export const IDENTITY_SECRET = "identity-of-the-tests";

export type ServerFacts = Omit<RunningServerFile, "pid" | "port" | "started_at" | "identity_secret"> &
  Partial<RunningServerFile>;

/** Writes the file that `svc serve` writes. */
export async function writeRunning(directory: string, facts: ServerFacts): Promise<RunningServerFile> {
  const server: RunningServerFile = {
    pid: process.pid,
    port: Number(new URL(facts.url).port),
    started_at: "2026-06-01T12:00:00.000Z",
    identity_secret: IDENTITY_SECRET,
    ...facts,
  };
  await writeServerFile(directory, serverPath(directory, server.port), server);
  await writeServerFile(directory, newestPath(directory), server);
  return server;
}

/** The answer of `GET /__svc/identity`, or undefined for any other address. */
export function identityAnswer(address: string): object | undefined {
  const { hostname, port, pathname, searchParams } = new URL(address);
  if (pathname !== "/__svc/identity") return undefined;
  const text = `identity ${searchParams.get("challenge")!} ${hostname}:${port || "80"}`;
  return { proof: createHmac("sha256", IDENTITY_SECRET).update(text).digest("hex") };
}

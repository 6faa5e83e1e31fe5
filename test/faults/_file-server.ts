import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { BIN } from "../_paths.ts";

const KEY = "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz";
const PEOPLE = 40;

export interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
  /** The requests that it has logged so far. */
  readonly logged: { status: number; reason?: string | null }[];
  stderr: string;
}

/** `svc serve` on a store at `place/store`. */
export async function serve(place: string): Promise<Server> {
  const seed = join(place, "seed.json");
  const personas = Array.from({ length: PEOPLE }, (_, n) => ({
    id: `p${n}`,
    name: `Person ${n}`,
    email: `p${n}@acme.test`,
    google: { sub: String(n), email_verified: true },
  }));
  const instances = [{ name: "Acme", subdomain: "acme", secret_key: KEY }];
  if (!existsSync(seed)) await writeFile(seed, JSON.stringify({ instances, personas }));
  const path = join(place, "store/db.json");
  const child = spawn(
    process.execPath,
    [BIN, "serve", "--port", "0", "--store", path, "--seed", seed, "--json", "--quiet"],
    { cwd: place, stdio: ["ignore", "pipe", "pipe"] },
  );
  // When all of its output was read too.
  const ended = once(child, "close") as Server["ended"];
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const server: Server = { url: "", child, ended, logged: [], stderr: "" };
  child.stderr.setEncoding("utf8").on("data", (text: string) => (server.stderr += text));
  const lines = createInterface({ input: child.stdout });
  const ready = await Promise.race([once(lines, "line") as Promise<[string]>, ended.then(() => undefined)]);
  if (!ready) throw new Error(`svc serve ended with ${String((await ended)[0])}: ${server.stderr}`);
  lines.on("line", (line) => server.logged.push(JSON.parse(line) as Server["logged"][number]));
  return Object.assign(server, { url: (JSON.parse(ready[0]) as { url: string }).url });
}

/** @returns true if the application received a token, otherwise the last status */
export async function signIn({ url }: Server, n: number): Promise<true | number> {
  const callback = "http://localhost:3000/callback";
  const query = new URLSearchParams({ provider: "google", redirect_uri: callback, login_hint: `p${n}` });
  let location = `${url}/oauth/authorize?${query.toString()}`;
  while (!location.startsWith(callback)) {
    const { status, headers } = await fetch(location, { redirect: "manual" });
    if (status !== 302) return status;
    location = headers.get("location")!;
  }
  const { searchParams } = new URL(location);
  if (!searchParams.has("token")) expect(searchParams.get("error")).toBe("temporarily_unavailable");
  return searchParams.has("token") || 302;
}

export async function users({ url }: Server): Promise<{ id: string }[]> {
  const response = await fetch(`${url}/api/v1/users`, { headers: { "x-service-secret-key": KEY } });
  expect(response.status).toBe(200);
  return (await response.json()) as { id: string }[];
}

export async function remove({ url }: Server, id: string): Promise<Response> {
  return fetch(`${url}/api/v1/users/${id}`, { method: "DELETE", headers: { "x-service-secret-key": KEY } });
}

export async function readiness({ url }: Server): Promise<string> {
  const response = await fetch(`${url}/__svc/health/ready`);
  const { status, code } = (await response.json()) as { status: string; code?: string };
  expect(response.status).toBe(code === undefined ? 200 : 503);
  return code ?? status;
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(100);
}

export const names = (found: object[]): string[] =>
  found.map((user) => /"name":"(Person \d+)"/.exec(JSON.stringify(user))![1]!).toSorted();

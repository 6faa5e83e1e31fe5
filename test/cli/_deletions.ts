import { beforeEach } from "vitest";
import type { Fetch } from "../../src/http/fetch.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { SEED, setup, type Service } from "../_setup.ts";

export const CHARLES = "00000000-0000-4000-8000-0000000000a2";
export const GRACE = "00000000-0000-4000-8000-0000000000a3";
export const AT_ACME = "email:*@acme.test";

export let service: Service;
export let cwd: string;

/** Gives each test of a file a directory and a service. */
export function useDeletions(): void {
  beforeEach(async () => {
    service = await setup();
    cwd = temporaryDirectory();
  });
}

/** What `svc users delete --json` prints if nobody is deleted. */
export function noOutcomes(): object {
  const { id, subdomain } = service.acme;
  const none = { deleted: [], gone: [], failed: [], unknown: [], not_attempted: [] };
  return { dry_run: false, service: "http://localhost:7820", instance: { subdomain, id }, ...none };
}

/** How questions and messages name acme. */
export function atAcme(): string {
  return `http://localhost:7820 (SVC_BASE_URL), instance acme (${service.acme.id})`;
}

/** Runs `svc users delete`. */
export function remove(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(["users", "delete", ...args], { service, cwd, ...options });
}

/** The ids of the users that are left. */
export async function left(): Promise<string[]> {
  return (await service.client(service.acme).users.list()).map(({ id }) => id).toSorted();
}

export function idOf(i: number): string {
  return `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
}

/** Starts again with that many users. */
export async function many(count: number): Promise<void> {
  const [acme] = SEED.instances;
  const users = Array.from({ length: count }, (_, i) => ({ id: idOf(i), email: `u${i}@acme.test`, name: `User ${i}` }));
  await restart({ instances: [{ ...acme, users }] });
}

/** Starts again with what a seed has. */
export async function restart(seed: object): Promise<void> {
  service = await setup({ seed });
}

/** The service, except for the outcome of some deletions. */
export function withFaults(fault: (id: string, count: number) => Response | Error | undefined): Fetch {
  let count = 0;
  return async (url, init) => {
    if (init.method === "DELETE") {
      const answer = fault(url.split("/").at(-1)!, count++);
      if (answer instanceof Error) throw answer;
      if (answer) return answer as unknown as Awaited<ReturnType<Fetch>>;
    }
    return (await service.fetch(url, init as RequestInit)) as Awaited<ReturnType<Fetch>>;
  };
}

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answering } from "../_answering.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { ADA, setup, type Service } from "../_setup.ts";

let service: Service;

beforeEach(async () => {
  service = await setup();
});

/** Runs a command while the time flies. @returns with it how many seconds passed from its first request to its last */
async function runFast(argv: string[], options: CliOptions): Promise<CliResult & { seconds: number }> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const times: number[] = [];
  const state = { isDone: false };
  const fetch: Fetch = (url, init) => {
    times.push(performance.now());
    return options.fetch!(url, init);
  };
  const running = runCli(argv, { service, ...options, fetch }).finally(() => (state.isDone = true));
  while (!state.isDone) await vi.advanceTimersByTimeAsync(50);
  return { ...(await running), seconds: (times.at(-1)! - times[0]!) / 1000 };
}

afterEach(() => void vi.useRealTimers());

const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
const asService: Fetch = async (url, init) => (await service.fetch(url, init as RequestInit)) as never;

/** A service that is not there, then starts, then answers. */
function starting(): Fetch {
  let asked = 0;
  return async (url, init) => {
    asked += 1;
    if (asked === 1) throw refused;
    return asked === 2 ? answering(503, "<html>Starting")(url, init) : asService(url, init);
  };
}

function paths({ requests }: CliResult): string[] {
  return requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
}

const POLL = "GET /.well-known/openid-configuration";

describe("--wait", () => {
  it.each<[what: string, fetch: Fetch]>([
    ["nothing listens", () => Promise.reject(refused)],
    ["a service is unavailable", answering(503, '{"error":"Away"}')],
  ])("is how long a command waits before its first request where %s", async (_, fetch) => {
    const result = await runFast(["users", "list", "--wait", "20", "--retries", "0"], { fetch });
    expect([result.code, paths(result).at(-1)]).toEqual([7, "GET /api/v1/users"]);
    expect(
      paths(result)
        .slice(0, -1)
        .every((path) => path === POLL),
    ).toBe(true);
    expect(result.seconds).toBeGreaterThan(19);
    expect(result.seconds).toBeLessThan(21);
  });

  it("ends when the service is up, and the command is then sent once, be it a deletion", async () => {
    const stdin = await service.tokenFor("google", "ada");
    const verified = await runFast(["tokens", "verify", "-", "--wait", "60"], { stdin, fetch: starting() });
    expect([verified.code, paths(verified)]).toEqual([0, [POLL, POLL, POLL, "POST /api/v1/tokens/verify"]]);
    const named = ["--base-url", "http://localhost:7820"];
    const deleted = await runFast(["users", "delete", ADA, "--yes", "--wait", "60", ...named], { fetch: starting() });
    expect([deleted.code, paths(deleted).filter((path) => path.startsWith("DELETE"))]).toEqual([
      0,
      [`DELETE /api/v1/users/${ADA}`],
    ]);
  });

  it("waits for the control API that the environment names", async () => {
    const env = {
      SVC_CONTROL_URL: "http://localhost:7820",
      SVC_CONTROL_KEY: "ctl_0123456789abcdefghijklmnopqrstuvwxyz01234567",
    };
    const { code, requests } = await runFast(["dev", "clock", "--wait", "9"], { env, fetch: starting() });
    // The service answers, and has no control API.
    expect([code, requests.length]).toEqual([2, 4]);
  });

  it("does not wait for what will not pass, and asks nothing beforehand without the flag", async () => {
    const expired: Fetch = () => Promise.reject(Object.assign(new Error("x"), { code: "CERT_HAS_EXPIRED" }));
    const waited = await runFast(["users", "list", "--wait", "60", "--retries", "0"], { fetch: expired });
    expect(paths(waited)).toEqual([POLL, "GET /api/v1/users"]);
    expect(paths(await runFast(["users", "list"], { fetch: asService }))).toEqual(["GET /api/v1/users"]);
  });
});

describe("--retries", () => {
  it.each([503, 429])("repeats a verification that is answered with %i", async (status) => {
    const { code, requests } = await runFast(["tokens", "verify", "a.b.c", "--retries", "3"], {
      fetch: answering(status, '{"error":"Later"}'),
    });
    expect([code, requests.length]).toEqual([7, 4]);
  });
});

it("svc api repeats nothing", async () => {
  const argv = ["api", "GET", "/api/v1/users", "--retries", "3"];
  const { code, requests } = await runFast(argv, { fetch: answering(503, "{}") });
  expect([code, requests.length]).toEqual([7, 1]);
});

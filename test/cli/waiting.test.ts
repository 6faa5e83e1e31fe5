import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answering } from "../_answering.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import type { Fetch } from "../../src/wire/http/fetch.ts";
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
const away: [what: string, options: CliOptions][] = [
  ["nothing that listens", { fetch: () => Promise.reject(refused) }],
  ["a service that is unavailable", { fetch: answering(503, '{"error":"Away"}') }],
];

describe("--wait", () => {
  describe.each(away)("with %s", (_, options) => {
    it.each([
      ["users", "list"],
      ["tokens", "verify", "a.b.c"],
    ])("is the time that %s %s waits in all, however often it retries", async (...argv) => {
      const { code, requests, seconds } = await runFast([...argv, "--wait", "20", "--retries", "3"], options);
      expect([code, requests.length > 10]).toEqual([7, true]);
      // Between the retries are pauses of at most 0.3, 0.6 and 1.2 seconds.
      expect(seconds).toBeGreaterThan(18);
      expect(seconds).toBeLessThan(23);
    });
  });

  it("waits for a service that comes up, and then verifies the token", async () => {
    const token = await service.tokenFor("google", "ada");
    let asked = 0;
    const { code, requests } = await runFast(["tokens", "verify", "-", "--wait", "60", "--retries", "0"], {
      stdin: token,
      fetch: async (url, init) => {
        asked += 1;
        if (asked === 1) throw refused;
        if (asked === 2) return answering(503, "<html>Starting")(url, init);
        return (await service.fetch(url, init as RequestInit)) as never;
      },
    });
    expect([code, requests.length]).toEqual([0, 3]);
  });

  it("is recommended only where it helps: a deletion does not wait", async () => {
    const options = { service, fetch: answering(503, "<html>Away") };
    expect((await runCli(["tokens", "verify", "a.b.c"], options)).stderr).toContain("wait for it with --wait 60s");
    // Looking for the user is answered.
    const fetch: Fetch = (url, init) =>
      init.method === "DELETE"
        ? options.fetch(url, init)
        : (service.fetch(url, init as RequestInit) as unknown as ReturnType<Fetch>);
    const argv = ["users", "delete", ADA, "--yes", "--wait", "5", "--retries", "0"];
    const { stderr, requests } = await runCli(argv, { service, fetch });
    const deletions = requests.filter(({ method }) => method === "DELETE");
    expect([stderr.includes("Try again shortly."), stderr.includes("--wait"), deletions.length]).toEqual([
      true,
      false,
      1,
    ]);
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

describe("svc api --retries", () => {
  const broken: Fetch = () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNRESET" }));
  it.each<[what: string, argv: string[], fetch: Fetch, count: number]>([
    ["a read that is answered with 503", ["GET", "/api/v1/users", "--retries", "3"], answering(503, "{}"), 4],
    ["a read whose connection breaks", ["GET", "/api/v1/users", "--retries", "3"], broken, 4],
    ["nothing without it", ["GET", "/api/v1/users"], broken, 1],
    ["no deletion", ["DELETE", `/api/v1/users/${ADA}`, "--retries", "3"], broken, 1],
    ["no other request", ["POST", "/x", "--retries", "3"], answering(503, "{}"), 1],
    ["nothing beyond the time", ["GET", "/x", "--retries", "3", "--timeout", "0.001"], answering(503, "{}"), 1],
  ])("repeats %s", async (_, argv, fetch, count) => {
    const { code, requests } = await runFast(["api", ...argv], { fetch });
    expect([code, requests.length]).toEqual([7, count]);
  });

  it("prints the response of the last try", async () => {
    let asked = 0;
    const { code, stdout } = await runFast(
      ["api", "GET", "/api/v1/users/search", "-F", "query=name:x", "--retries", "2"],
      {
        fetch: async (url, init) =>
          asked++ < 2 ? answering(503, "{}")(url, init) : ((await service.fetch(url, init as RequestInit)) as never),
      },
    );
    expect([code, stdout]).toEqual([0, "[]\n"]);
  });
});

describe("A duration", () => {
  it.each([
    [["--timeout", "0"], {}, "must be greater than 0"],
    [["--timeout", "2x"], {}, "Write seconds, such as 30 or 0.5, or a duration, such as 500ms"],
    [["--wait", "400h"], {}, "Write seconds"],
    [[], { SVC_TIMEOUT: "4w" }, 'SVC_TIMEOUT: "4w" is too long.'],
    [[], { SVC_TIMEOUT: "0" }, "SVC_TIMEOUT must be greater than 0."],
    [[], { SVC_TIMEOUT: "2x" }, 'SVC_TIMEOUT: "2x" is not a duration.'],
    [[], { SVC_WAIT: "x" }, 'SVC_WAIT: "x" is not a duration.'],
    [[], { SVC_WAIT: "-1" }, 'SVC_WAIT: "-1" is not a duration.'],
  ])("is refused by the name with which it was set: %j %j", async (flags, env, message) => {
    const { code, stderr, requests } = await runCli(["users", "list", ...flags], { service, env });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(message);
    if (flags.length > 0) expect(stderr).not.toContain("SVC_TIMEOUT");
  });
});

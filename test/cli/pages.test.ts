import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { createContext, runCli } from "../_cli.ts";
import { SEED, setup, type Service } from "../_setup.ts";

const LIST = ["users", "list"];

/** The instance acme with that many users; the last one is the newest. */
function many(count: number): Promise<Service> {
  const [acme] = SEED.instances;
  const users = Array.from({ length: count }, (_, i) => ({
    id: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
    email: `user${i}@acme.test`,
    name: `User ${i}`,
    created_at: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
  }));
  return setup({ seed: { instances: [{ ...acme, users }] } });
}

describe("A list over several pages", () => {
  it("requests one page after another and prints one list", async () => {
    const service = await many(2500);
    const { stdout, requests } = await runCli([...LIST, "--fields", "id"], { service });
    expect(requests.map(({ url }) => new URL(url).searchParams.get("limit"))).toEqual(["1000", "1000", "1000"]);
    expect(new Set(stdout.trimEnd().split("\n")).size).toBe(2500);
    const json = await runCli([...LIST, "--json"], { service });
    expect(json.stdout).toBe(`${await (await service.as(service.acme, "/api/v1/users")).text()}\n`);
  });

  it("stops at the limit", async () => {
    const service = await many(2500);
    const { stdout, requests } = await runCli([...LIST, "--fields", "id", "--limit", "1500"], { service });
    expect(requests.map(({ url }) => new URL(url).searchParams.get("limit"))).toEqual(["1000", "1000"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1500);
  });

  it("takes one request if the service has no pages", async () => {
    const service = await many(1200);
    const fetch: Fetch = async (url, init) => {
      const whole = new URL(url);
      whole.searchParams.delete("limit");
      return (await service.fetch(whole.href, init as RequestInit)) as Awaited<ReturnType<Fetch>>;
    };
    const all = await runCli([...LIST, "--count"], { service, fetch });
    expect([all.stdout, all.requests.length]).toEqual(["1200\n", 1]);
    expect((await runCli([...LIST, "--count", "--limit", "7"], { service, fetch })).stdout).toBe("7\n");
  });

  it("prints no partial array when a page fails", async () => {
    const service = await many(1500);
    let count = 0;
    const fetch: Fetch = async (url, init) =>
      (count++ === 0
        ? await service.fetch(url, init as RequestInit)
        : new Response('{"error":"Internal error"}', { status: 500 })) as Awaited<ReturnType<Fetch>>;
    expect(await runCli([...LIST, "--json"], { service, fetch })).toMatchObject({ code: 7, stdout: "" });
  });

  it("requests no further pages when its reader closes the pipe", async () => {
    const service = await many(2500);
    const context = createContext({ service });
    let written = 0;
    const stdout = { isTTY: false, write: () => written++, ready: () => Promise.resolve(false) };
    expect(await main([...LIST, "--output", "tsv"], { ...context, stdout })).toBe(0);
    expect([written, context.requests.length]).toEqual([1, 1]);
  });

  it("waits for a slow reader", async () => {
    const service = await many(2500);
    const context = createContext({ service });
    let waiting = 0;
    let most = 0;
    const stdout = {
      isTTY: false,
      write: (text: string) => (most = Math.max(most, (waiting += text.length))),
      async ready() {
        await new Promise((resolve) => setImmediate(resolve));
        waiting = 0;
        return true;
      },
    };
    await main([...LIST, "--output", "ndjson"], { ...context, stdout });
    expect(most).toBeLessThan(70_000);
  });
});

describe("On a terminal", () => {
  const rowsOf = (stdout: string): number => stdout.trimEnd().split("\n").length - 1;

  it("a list shows 50 rows and says how to see the rest, with one request", async () => {
    const service = await many(120);
    const { stdout, stderr, requests } = await runCli(LIST, { service, tty: true });
    expect([rowsOf(stdout), requests.length]).toEqual([50, 1]);
    expect(stderr).toBe("More users exist. To see them: --limit 500, or a file: --output csv\n");
    expect(rowsOf((await runCli([...LIST, "--limit", "120"], { service, tty: true })).stdout)).toBe(120);
    const fewer = await runCli(LIST, { service: await many(50), tty: true });
    expect([rowsOf(fewer.stdout), fewer.stderr]).toEqual([50, ""]);
  });

  it("only a table is shortened", async () => {
    const service = await many(120);
    for (const [args, count] of [
      [["--output", "tsv"], 120],
      [["--count"], 1],
    ] as const)
      expect((await runCli([...LIST, ...args], { service, tty: true })).stdout.trimEnd().split("\n")).toHaveLength(
        count,
      );
    expect(JSON.parse((await runCli([...LIST, "--json"], { service, tty: true })).stdout)).toHaveLength(120);
  });
});

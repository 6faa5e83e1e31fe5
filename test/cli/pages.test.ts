import { describe, expect, it } from "vitest";
import type { Pager } from "../../src/cli/context.ts";
import { main } from "../../src/cli/main.ts";
import type { Fetch } from "../../src/wire/fetch.ts";
import { createContext, runCli, type CliOptions } from "../_cli.ts";
import { SEED, setup, type Service } from "../_setup.ts";

const LIST = ["users", "list"];

/** Acme with so many users; the last one is the newest. */
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

describe("Pages", () => {
  it("are asked for one after the other, and are one list", async () => {
    const service = await many(2500);
    const { stdout, requests } = await runCli([...LIST, "--output", "ids"], { service });
    expect(requests.map(({ url }) => new URL(url).searchParams.get("limit"))).toEqual(["1000", "1000", "1000"]);
    expect(new Set(stdout.trimEnd().split("\n")).size).toBe(2500);
    const json = await runCli([...LIST, "--json"], { service });
    expect(json.stdout).toBe(`${await (await service.as(service.acme, "/api/v1/users")).text()}\n`);
  });

  it("end where the limit is reached", async () => {
    const service = await many(2500);
    const { stdout, requests } = await runCli([...LIST, "--output", "ids", "--limit", "1500"], { service });
    expect(requests.map(({ url }) => new URL(url).searchParams.get("limit"))).toEqual(["1000", "1000"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1500);
  });

  it("are not needed: a service that knows none is asked once", async () => {
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

  it("that fail leave no half of an array", async () => {
    const service = await many(1500);
    let count = 0;
    const fetch: Fetch = async (url, init) =>
      (count++ === 0
        ? await service.fetch(url, init as RequestInit)
        : new Response('{"error":"Internal error"}', { status: 500 })) as Awaited<ReturnType<Fetch>>;
    expect(await runCli([...LIST, "--json"], { service, fetch })).toMatchObject({ code: 7, stdout: "" });
  });

  it("are not asked for where nobody reads any more", async () => {
    const service = await many(2500);
    const context = createContext({ service });
    let written = 0;
    const stdout = { isTTY: false, write: () => written++, ready: () => Promise.resolve(false) };
    expect(await main([...LIST, "--output", "tsv"], { ...context, stdout })).toBe(0);
    expect([written, context.requests.length]).toEqual([1, 1]);
  });

  it("wait for a reader that is slow", async () => {
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

describe("A pager", () => {
  /** Runs with a pager that records, and closes itself after so many writes. */
  async function paged(
    argv: readonly string[],
    options: CliOptions,
    closesAfter = Infinity,
  ): Promise<{ command?: string; text: string; stdout: string; requests: number }> {
    const context = createContext({ tty: true, columns: 200, ...options });
    const result = { text: "", stdout: "", requests: 0 } as {
      command?: string;
      text: string;
      stdout: string;
      requests: number;
    };
    const openPager = async (command: string): Promise<Pager> => {
      result.command = command;
      let writes = 0;
      return {
        write: (text) => (writes++, (result.text += text)),
        ready: () => Promise.resolve(writes < closesAfter),
        close: () => Promise.resolve(),
      };
    };
    await main(argv, { ...context, openPager });
    return { ...result, stdout: context.written.stdout, requests: context.requests.length };
  }

  it("shows what is longer than the terminal, and nothing shorter", async () => {
    const service = await many(60);
    const long = await paged(LIST, { service });
    expect([long.command, long.stdout, long.text.split("\n").length]).toEqual(["less", "", 62]);
    const short = await paged([...LIST, "--limit", "20"], { service });
    expect([short.command, short.stdout.split("\n").length]).toEqual([undefined, 22]);
  });

  it.each<[env: Record<string, string>, command: string | undefined]>([
    [{ PAGER: "more" }, "more"],
    [{ PAGER: "more", SVC_PAGER: "less -S" }, "less -S"],
    [{ SVC_PAGER: "" }, undefined],
    [{ PAGER: "cat" }, undefined],
    [{ CI: "1" }, undefined],
    [{ TERM: "dumb" }, undefined],
  ])("is chosen by %j: %s", async (env, command) => {
    expect((await paged(LIST, { service: await many(60), env })).command).toBe(command);
  });

  it.each<[argv: string[], options: CliOptions]>([
    [["--no-pager"], {}],
    [["--output", "tsv"], {}],
    [["--json"], {}],
    [["--count"], {}],
    [[], { tty: ["stdin", "stderr"] }],
    [[], { tty: ["stdout", "stderr"] }],
  ])("is not there with %j and %j", async (argv, options) => {
    const { command, stdout } = await paged([...LIST, ...argv], { service: await many(60), ...options });
    expect([command, stdout === ""]).toEqual([undefined, false]);
  });

  it("that is closed ends the questions to the service", async () => {
    expect((await paged(LIST, { service: await many(3500) }, 1)).requests).toBe(1);
  });
});

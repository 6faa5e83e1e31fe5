import { describe, expect, it } from "vitest";
import type { Pager } from "../../src/cli/context.ts";
import { main } from "../../src/cli/main.ts";
import type { Fetch } from "../../src/wire/http/fetch.ts";
import { createContext, runCli, type CliOptions } from "../_cli.ts";
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
    const { stdout, requests } = await runCli([...LIST, "--output", "ids"], { service });
    expect(requests.map(({ url }) => new URL(url).searchParams.get("limit"))).toEqual(["1000", "1000", "1000"]);
    expect(new Set(stdout.trimEnd().split("\n")).size).toBe(2500);
    const json = await runCli([...LIST, "--json"], { service });
    expect(json.stdout).toBe(`${await (await service.as(service.acme, "/api/v1/users")).text()}\n`);
  });

  it("stops at the limit", async () => {
    const service = await many(2500);
    const { stdout, requests } = await runCli([...LIST, "--output", "ids", "--limit", "1500"], { service });
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

describe("The pager", () => {
  interface Paged {
    command?: string;
    text: string;
    readonly stdout: string;
    readonly stderr: string;
    readonly requests: number;
  }

  /** Runs with a pager that records its input, closes after that many writes, and ends with that exit code. */
  async function paged(
    argv: readonly string[],
    options: CliOptions & { rows?: number },
    closesAfter = Infinity,
    exitCode = 0,
  ): Promise<Paged> {
    const context = createContext({ tty: true, columns: 200, ...options });
    const stdout = { ...context.stdout, rows: options.rows };
    const result: Pick<Paged, "command" | "text"> = { text: "" };
    const openPager = async (command: string): Promise<Pager> => {
      result.command = command;
      let writes = 0;
      return {
        write: (text) => (writes++, (result.text += text)),
        ready: () => Promise.resolve(writes < closesAfter),
        close: () => Promise.resolve(exitCode),
      };
    };
    await main(argv, { ...context, stdout, openPager });
    return { ...result, ...context.written, requests: context.requests.length };
  }

  it("shows output longer than the terminal and nothing shorter", async () => {
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
  ])("is not started with %j and %j", async (argv, options) => {
    const { command, stdout } = await paged([...LIST, ...argv], { service: await many(60), ...options });
    expect([command, stdout === ""]).toEqual([undefined, false]);
  });

  it.each([
    ["nosuch -x", 127, "could not be run"],
    ["false", 1, "failed with exit code 1"],
  ])("%s is reported if it ends with %i", async (PAGER, code, what) => {
    const { stdout, stderr } = await paged(LIST, { service: await many(60), env: { PAGER } }, 1, code);
    expect([stdout, stderr]).toEqual([
      "",
      `The pager "${PAGER}" ${what}. Set SVC_PAGER to another one, or use --no-pager.\n`,
    ]);
  });

  it("is not used if the table and the note about hidden columns fit the screen", async () => {
    const fits = await paged(LIST, { service: await many(16), rows: 20, columns: 50 });
    expect([fits.command, fits.stdout.split("\n").length]).toEqual([undefined, 18]);
    expect(fits.stderr).toMatch(/^Hidden: .{43,92}\n$/);
  });

  it("shows the note as well if it would push the heading off the screen", async () => {
    const { command, text, stderr } = await paged(LIST, { service: await many(17), rows: 20, columns: 50 });
    expect([command, text.split("\n").length, stderr]).toEqual(["less", 20, ""]);
    expect(text).toMatch(/\nHidden: .*See all: --output wide\n$/);
  });

  it("shows both notes if there are more users than the limit", async () => {
    const small = { service: await many(60), rows: 20, columns: 50 };
    const fits = await paged([...LIST, "--limit", "14"], small);
    expect([fits.command, fits.stderr.split("\n").map((line) => line.split(" ")[0])]).toEqual([
      undefined,
      ["Hidden:", "More", ""],
    ]);
    const { command, text, stderr } = await paged([...LIST, "--limit", "15"], small);
    expect([command, text.split("\n").length, stderr]).toEqual(["less", 19, ""]);
    expect(text).toMatch(/\nHidden: .*\nMore users exist\. .*\n$/);
  });

  it("is followed by the note if the table is longer than the screen", async () => {
    const { text, stderr } = await paged(LIST, { service: await many(60), rows: 20, columns: 50 });
    expect([text.split("\n").length, stderr.startsWith("Hidden: ")]).toEqual([62, true]);
  });

  it("stops the requests to the service when it is closed", async () => {
    expect((await paged(LIST, { service: await many(3500) }, 1)).requests).toBe(1);
  });
});

// Faults of a service, signals and bars: see transcripts/delete.txt for the rest.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { createContext, type CliOptions } from "../_cli.ts";
import { ADA, SEED } from "../_setup.ts";
import {
  AT_ACME,
  atAcme,
  CHARLES,
  cwd,
  GRACE,
  idOf,
  left,
  many,
  remove,
  restart,
  service,
  useDeletions,
  withFaults,
} from "./_deletions.ts";

useDeletions();

describe("The result of svc users delete", () => {
  it("is nothing where the question could not be seen", async () => {
    for (const args of [[ADA], [ADA, CHARLES], ["--query", AT_ACME]]) {
      const { code, stdout, stderr } = await remove(args, {
        tty: ["stdin", "stdout"],
        confirm: () => true,
        ask: () => "2",
      });
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(/Add --yes .*to delete/)]);
    }
    expect(await left()).toEqual([ADA, CHARLES, GRACE]);
  });

  it.each<[what: string, fault: () => Response | Error, exit: number, outcome: string]>([
    ["the key is refused", () => new Response('{"error":"Unauthorized"}', { status: 401 }), 4, "failed"],
    ["the connection breaks", () => Object.assign(new Error("x"), { code: "ECONNRESET" }), 7, "unknown"],
  ])("stops at once where %s", async (_, fault, exit, outcome) => {
    await many(20);
    const fetch = withFaults((_id, count) => (count < 5 ? undefined : fault()));
    const args = ["--query", AT_ACME, "--yes", "--expect", "20", "--output", "ndjson", "--retries", "0"];
    const { code, stdout, stderr } = await remove(args, { fetch });
    const outcomes = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
    const count = (name: string): number => outcomes.filter((one) => one === name).length;
    expect([code, count("deleted"), new Set(outcomes)]).toEqual([
      exit,
      5,
      new Set(["deleted", outcome, "not_attempted"]),
    ]);
    // No more than are asked at the same time.
    expect(count(outcome)).toBeLessThanOrEqual(4);
    expect(stderr).toContain("5 of 20 deleted");
    expect(await left()).toHaveLength(15);
  });

  it.each<[signal: "SIGINT" | "SIGTERM", exit: number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("is complete after %s: running requests are awaited and the others named", async (signal, exit) => {
    await many(20);
    let interrupt!: () => void;
    const untilSignal = new Promise<typeof signal>((resolve) => (interrupt = () => resolve(signal)));
    const fetch = withFaults((_, count) => {
      if (count === 5) interrupt();
      return undefined;
    });
    const context = { ...createContext({ service, fetch, cwd }), untilSignal: () => untilSignal };
    const argv = ["users", "delete", "--query", AT_ACME, "--yes", "--expect", "20", "--json", "--receipt", "r"];
    expect(await main(argv, context)).toBe(exit);
    const { deleted, not_attempted, unknown } = JSON.parse(context.written.stdout) as Record<string, string[]>;
    expect([deleted!.length + not_attempted!.length, unknown]).toEqual([20, []]);
    expect(not_attempted!.length).toBeGreaterThan(0);
    expect(await left()).toEqual(not_attempted!.toSorted());
    expect(JSON.parse(context.written.stderr.trimEnd().split("\n").at(-1)!)).toMatchObject({
      error: {
        exitCode: exit,
        message: expect.stringMatching(/^Interrupted\. \d+ of 20 deleted, \d+ were not attempted\.$/) as string,
      },
    });
    const recorded = (await readFile(join(cwd, "r"), "utf8")).trimEnd().split("\n");
    expect(recorded.filter((line) => !line.includes('"deleting"'))).toHaveLength(1 + 20);
  });

  it("never has more than four requests at once", async () => {
    await many(40);
    let running = 0;
    let most = 0;
    const fetch: Fetch = async (url, init) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return (await service.fetch(url, init as RequestInit)) as Awaited<ReturnType<Fetch>>;
    };
    expect((await remove(["--query", AT_ACME, "--yes", "--expect", "40"], { fetch })).code).toBe(0);
    expect(most).toBe(4);
  });

  it.each<[tty: CliOptions["tty"], env: Record<string, string>, isShown: boolean]>([
    [["stderr"], {}, true],
    [["stdout"], {}, false],
    [["stderr"], { CI: "1" }, false],
    [["stderr"], { TERM: "dumb" }, false],
  ])("has a progress bar with %j and %j: %s", async (tty, env, isShown) => {
    await many(3);
    const { stderr } = await remove([idOf(0), idOf(1), idOf(2), "--yes"], { tty: tty!, env });
    expect(stderr.includes("] 3 of 3")).toBe(isShown);
  });
});

it.skipIf(process.platform === "win32")("Only its owner can read the receipt of svc users delete", async () => {
  await remove([ADA, "--yes", "--receipt", "done.ndjson"]);
  expect((await stat(join(cwd, "done.ndjson"))).mode & 0o777).toBe(0o600);
});

it("The question says the query in words, and shows who stands out of many", async () => {
  // Two are not those that the query was meant for.
  const users = Array.from({ length: 62 }, (_, i) => ({
    id: idOf(i),
    email: i === 30 ? "chief@globex.test" : i === 40 ? "qa@partner.test" : `qa${i}@acme.test`,
    name: `User ${i}`,
    created_at: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
  }));
  await restart({ instances: [{ ...SEED.instances[0], users }] });
  const asked: string[] = [];
  const query = ["--query", "email:qa* email:*@globex.test"];
  const { code, stderr } = await remove(query, {
    tty: true,
    env: { NO_COLOR: "1" },
    ask: (question) => (asked.push(question), "no"),
  });
  expect([code, asked]).toEqual([1, ["This cannot be undone. Type 62 to delete all of them:"]]);
  expect(stderr).toContain(
    `62 users whose email either starts with "qa" or ends with "@globex.test", of ${atAcme()}:\n`,
  );
  for (const shown of ["chief@globex.test", "qa@partner.test", "qa0@acme.test", "qa61@acme.test"])
    expect(stderr).toContain(` ${shown} `);
  expect(stderr).toContain("and 52 more. To see all of them: --dry-run\n");
  expect(stderr).toContain("Domains: 60 @acme.test, 1 @partner.test, 1 @globex.test\n");
  expect(stderr).toContain("Created: from 2026-01-01 (qa0@acme.test) to 2026-03-03 (qa61@acme.test)\n");
  expect(await left()).toHaveLength(62);
});

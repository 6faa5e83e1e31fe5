// Faults of a service, encodings and hundreds of users: see transcripts/delete.txt for the rest.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.ts";
import { createContext, type CliResult } from "../_cli.ts";
import { ADA, SEED } from "../_setup.ts";
import {
  CHARLES,
  cwd,
  idOf,
  left,
  many,
  noOutcomes,
  remove,
  restart,
  service,
  useDeletions,
  withFaults,
} from "./_deletions.ts";

useDeletions();

const idsOf = ({ stdout }: CliResult): string[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0]!);
const outcomesOf = ({ stdout }: CliResult): string[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[1]!);

describe("A list for svc users delete", () => {
  it("may have a Greek address in capitals, whose last letter has two small forms", async () => {
    const [acme] = SEED.instances;
    const users = ["νικος@acme.test", "νικοσ@globex.test"].map((email, i) => ({ id: idOf(i), email, name: "Νίκος" }));
    await restart({ instances: [{ ...acme, users }] });
    const args = ["-", "--yes", "--receipt", "r"];
    const stdin = "ΝΙΚΟΣ@acme.test\nΝΙΚΟΣ@globex.test\n";
    const shown = await remove(["-", "--dry-run"], { stdin });
    expect([shown.code, idsOf(shown)]).toEqual([0, [idOf(0), idOf(1)]]);
    expect(outcomesOf(await remove(args, { stdin }))).toEqual(["deleted", "deleted"]);
  });

  it("is looked up a hundred at a time", async () => {
    await many(250);
    const ids = Array.from({ length: 250 }, (_, i) => (i % 2 === 0 ? idOf(i) : `U${i}@acme.test`));
    const shown = await remove(["-", "--dry-run", "--max", "250"], { stdin: ids.join("\n") });
    expect([shown.code, shown.requests.length, idsOf(shown).slice(0, 3)]).toEqual([0, 4, [0, 1, 2].map(idOf)]);
    expect(idsOf(shown)).toHaveLength(250);
  });
});

describe("A spreadsheet for svc users delete", () => {
  const ROWS = [
    ["Name", "E-Mail", "Notes"],
    ['"Lovelace, Ada; the ""first"""', "ADA@acme.test ", '"left,\nin May"'],
    ["Charles", '"charles@acme.test"', ""],
    ["", "", ""],
  ];
  const sheet = (separator: string, end = "\r\n"): string => ROWS.map((row) => row.join(separator) + end).join("");
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");

  it.each<[what: string, content: string | Buffer]>([
    ["in UTF-16, as Excel writes Unicode text", utf16(sheet("\t"))],
    ["in UTF-16 of the other order", utf16(sheet(",")).swap16()],
  ])("%s is read by the name of its column", async (_, content) => {
    await writeFile(join(cwd, "leavers.csv"), content);
    const { code, stdout } = await remove(["--file", "leavers.csv", "--column", "e-mail", "--yes", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { ...noOutcomes(), deleted: [ADA, CHARLES] }]);
  });

  it("in Latin-1 is refused", async () => {
    await writeFile(join(cwd, "x"), Buffer.from("email\njos\xe9@acme.test\n", "latin1"));
    const { code, stderr } = await remove(["--file", "x", "--column", "email", "--yes"]);
    const message = '"x" is not text in UTF-8 (line 2, byte 10).\n  Save it as UTF-8; in a spreadsheet, as CSV UTF-8.';
    expect([code, stderr, (await left()).length]).toEqual([2, expect.stringContaining(message), 3]);
  });
});

describe("A deletion of several", () => {
  beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
  afterEach(() => void vi.restoreAllMocks());

  const lost = (): Error => Object.assign(new Error("x"), { code: "ECONNRESET" });

  it.each<[what: string, fault: () => Response | Error]>([
    ["the connection breaks", lost],
    ["the gateway fails", () => new Response("", { status: 502 })],
    ["the service is unavailable", () => new Response('{"error":"x"}', { status: 503 })],
    ["there are too many requests", () => new Response('{"error":"x"}', { status: 429 })],
  ])("is repeated if %s", async (_, fault) => {
    await many(20);
    const fetch = withFaults((_id, count) => (count % 3 === 0 ? fault() : undefined));
    const result = await remove(["-", "--yes"], {
      stdin: Array.from({ length: 20 }, (__, i) => idOf(i)).join("\n"),
      fetch,
    });
    expect([result.code, new Set(outcomesOf(result)), await left()]).toEqual([0, new Set(["deleted"]), []]);
  });

  it("counts as done if only its answer was lost", async () => {
    const isLost = new Set<string>();
    const result = await remove([ADA, CHARLES, "--yes"], {
      fetch: async (url, init) => {
        const answer = await service.fetch(url, init as RequestInit);
        if (init.method !== "DELETE" || isLost.has(url)) return answer as never;
        isLost.add(url);
        throw lost();
      },
    });
    expect([result.code, outcomesOf(result), isLost.size]).toEqual([0, ["deleted", "deleted"], 2]);
  });

  it("ends at a refusal that all the others would meet", async () => {
    await many(20);
    const fetch = withFaults(() => new Response('{"error":"Unknown host: x"}', { status: 421 }));
    const ids = Array.from({ length: 20 }, (_, i) => idOf(i));
    const result = await remove([...ids, "--yes"], { fetch });
    const outcomes = outcomesOf(result);
    expect([result.code, new Set(outcomes)]).toEqual([2, new Set(["failed", "not_attempted"])]);
    // No more than are asked at the same time.
    expect(outcomes.filter((outcome) => outcome === "failed").length).toBeLessThanOrEqual(4);
  });

  it("does not wait for its next try after Ctrl-C, and says what it still waits for", async () => {
    let interrupt!: () => void;
    const untilSignal = new Promise<"SIGINT">((resolve) => (interrupt = () => resolve("SIGINT")));
    const fetch = withFaults(() => {
      interrupt();
      return new Response('{"error":"x"}', { status: 429, headers: { "retry-after": "2000" } });
    });
    const context = { ...createContext({ service, cwd, fetch, tty: ["stderr"] }), untilSignal: () => untilSignal };
    const argv = ["users", "delete", ADA, CHARLES, "--yes", "--json", "--timeout", "3000"];
    expect([await main(argv, context), JSON.parse(context.written.stdout)]).toMatchObject([
      130,
      { deleted: [], failed: [{ code: "rate_limited" }, { code: "rate_limited" }] },
    ]);
    expect(context.written.stderr).toContain(
      "Finishing the deletions in progress. To end at once, press Ctrl-C again.\n",
    );
  });
});

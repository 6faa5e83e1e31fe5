// Below the faces: the exit codes of all errors, from the tables of the service and of the client.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { exitOf } from "../../src/cli/failure.ts";
import type { ErrorCode } from "../../src/client/errors.ts";
import { ERRORS, errorBody, type ErrorCode as WireCode } from "../../src/wire/errors.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { answering } from "../_answering.ts";
import { runCli, type CliOptions } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { ADA, setup, type Service } from "../_setup.ts";

let cwd: string;
let service: Service;
beforeEach(async () => {
  cwd = temporaryDirectory();
  service = await setup();
});

function run(argv: readonly string[], options: CliOptions = {}): ReturnType<typeof runCli> {
  return runCli(argv, { service, cwd, ...options });
}

describe("tokens verify --json", () => {
  it("--batch prints a line for each token in order", async () => {
    const token = await service.tokenFor("google", "ada");
    const lines = Array.from({ length: 100 }, (_, i) =>
      i % 3 === 0 ? `Bearer ${token}` : i % 3 === 1 ? "x.y.z" : token,
    );
    for (const way of [[], ["--local"]]) {
      const { code, stdout } = await run(["tokens", "verify", "--batch", ...way], {
        stdin: [...lines.slice(0, 50), "", ...lines.slice(50), ""].join("\n"),
      });
      const results = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(results.map(({ line }) => line)).toEqual(lines.map((_, i) => (i < 50 ? i + 1 : i + 2)));
      expect(results[1]).toMatchObject({ reason: "It cannot be decoded. Check that it was copied completely." });
      expect([code, results.map(({ valid }) => valid)]).toEqual([5, lines.map((_, i) => i % 3 !== 1)]);
    }
    expect((await run(["tokens", "verify", "--batch"], { stdin: `${token}\n${token}` })).code).toBe(0);
  });

  it("--batch prints a line for each token when the service fails, stops asking and reports the failure once", async () => {
    const tokens = Array.from({ length: 100 }, (_, i) => `${i}.y.z`).join("\n");
    const fetch = answering(503, "<html>");
    const { code, stdout, stderr, requests } = await run(["tokens", "verify", "--batch", "--retries", "0"], {
      stdin: tokens,
      fetch,
    });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect([code, lines.length]).toEqual([7, 100]);
    for (const line of lines)
      expect(line).toMatchObject({ valid: false, code: "unavailable", user_id: null, checked: null });
    expect(stderr.match(/is unavailable \(503\)/g)).toHaveLength(1);
    expect(requests.length).toBeLessThan(100);
  });
});

describe("Exit codes", () => {
  it.each(Object.keys(ERRORS) as WireCode[])("of the service's error %s are those in the table", async (code) => {
    const fetch = answering(ERRORS[code].status, JSON.stringify(errorBody(code)));
    // The path of svc api is its user's own.
    const ofApi = ERRORS[code].status === 404 ? 3 : exitOf(code);
    expect((await run(["api", "GET", "/api/v1/users"], { fetch })).code).toBe(ofApi);
    // Commands that use the client exit in the same way.
    const argv =
      ERRORS[code].status === 401 && "valid" in ERRORS[code] ? ["tokens", "verify", "a.b.c"] : ["users", "list"];
    expect((await run(argv, { fetch })).code).toBe(exitOf(code));
  });

  // The client's own errors are in transcripts/exit-codes.txt, but for these.
  it.each<[code: ErrorCode, CliOptions]>([
    ["response_too_large", { fetch: answering(200, " ".repeat(2 ** 20 + 1)) }],
    [
      "instance_inactive",
      {
        env: { SVC_BASE_URL: undefined, SVC_API_URL: "http://api.localhost:1", SVC_PUBLISHABLE_KEY: "pk_x" },
        fetch: answering(
          200,
          '{"id":"i","resource":"instance","data":{"publishable_key":"pk_x","url":null,"subdomain":null}}',
        ),
      },
    ],
  ])("of the client's error %s are those in the table", async (code, options) => {
    const { code: ended, stderr } = await run(["users", "get", ADA, "--json"], options);
    const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1)!) as { error: { code: string } };
    expect([ended, error.code]).toEqual([exitOf(code), code]);
  });
});

describe("A deletion receipt", () => {
  const lines = async (): Promise<Record<string, string>[]> =>
    (await readFile(join(cwd, "r"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, string>);

  it("records each user before the request is sent", async () => {
    let recorded: Record<string, string>[] = [];
    const fetch: Fetch = async (url, init) => {
      if (init.method === "DELETE") recorded = await lines();
      return (await service.fetch(url, init as RequestInit)) as unknown as Awaited<ReturnType<Fetch>>;
    };
    expect((await run(["users", "delete", ADA, "--yes", "--receipt", "r"], { fetch })).code).toBe(0);
    const place = {
      time: "2026-06-01T12:00:00.000Z",
      service: "http://localhost:7820",
      instance: { subdomain: "acme", id: service.acme.id },
    };
    expect(recorded).toEqual([
      { ...place, users: 1 },
      { ...place, id: ADA, email: "ada@acme.test", outcome: "deleting" },
    ]);
  });
});

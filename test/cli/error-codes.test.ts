import { describe, expect, it } from "vitest";
import { ERRORS_PAGE } from "../../src/cli/errors.ts";
import { exitOf, toFailure } from "../../src/cli/failure.ts";
import { ServeError } from "../../src/server/errors.ts";
import { StorageUnavailable, StoreRefused } from "../../src/server/store/store.ts";
import { cwd, run, useHome } from "../_cli-home.ts";
import type { CliOptions } from "../_cli.ts";
import { FRONT } from "../_setup.ts";
import { leaveTrace } from "../_server-file.ts";

useHome();

const KEY = "sk_test_0123456789abcdefghijklmnopqrstuvwxyz";
const refused = (): Promise<never> => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }));

describe("The code of an error in --json", () => {
  it.each<[what: string, code: string, argv: string[], options: CliOptions]>([
    [
      "no service that answers",
      "connection",
      ["users", "list"],
      { env: { SVC_BASE_URL: FRONT, SVC_SECRET_KEY: KEY }, fetch: refused },
    ],
    [
      "the same for a sign-in",
      "connection",
      ["sign-in", "--as", "ada", "--provider", "github"],
      { env: { SVC_BASE_URL: FRONT, SVC_SECRET_KEY: KEY }, fetch: refused },
    ],
    ["the same for svc api", "connection", ["api", "GET", "/x"], { env: { SVC_BASE_URL: FRONT }, fetch: refused }],
  ])("is, for %s, %s", async (_, code, argv, options) => {
    const { stderr, code: exit } = await run([...argv, "--json"], options);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code, exitCode: exit } });
    expect(exit).toBe(exitOf(code));
  });

  it.each<[status: number, body: string, error: object]>([
    [
      404,
      '{"error":"User not found"}',
      { code: "user_not_found", message: "404: User not found (localhost:7820).", exitCode: 3 },
    ],
    [401, '{"error":"Unauthorized"}', { code: "unauthorized", message: "401: Unauthorized", exitCode: 4 }],
    [429, "<html>", { code: "unknown", message: "429: the service gave no reason", exitCode: 7 }],
    [503, "<html>", { code: "unknown", message: "503: the service gave no reason", exitCode: 7 }],
  ])("is beside the response of svc api: %i %s", async (status, body, error) => {
    const options: CliOptions = {
      env: { SVC_BASE_URL: FRONT },
      fetch: async () => new Response(body, { status }) as never,
    };
    const { code, stdout, stderr } = await run(["api", "GET", "/x", "--json"], options);
    expect([code, stdout, JSON.parse(stderr)]).toEqual([
      (error as { exitCode: number }).exitCode,
      `${body}\n`,
      { error: { ...error, docs: `${ERRORS_PAGE}#${(error as { code: string }).code}` } },
    ]);
    const plain = await run(["api", "GET", "/x"], options);
    expect(plain.stderr).toBe(`✗ ${(error as { message: string }).message}\n`);
  });

  it("is connection for a local server that has stopped, as for any other service", async () => {
    await leaveTrace(cwd);
    for (const argv of [["users", "list"], ["instances", "list"], ["env"], ["dev", "clock"]]) {
      const { code, stderr } = await run([...argv, "--json"], { fetch: refused });
      expect([argv, code, JSON.parse(stderr)]).toMatchObject([argv, 7, { error: { code: "connection" } }]);
    }
  });

  it.each([
    [new StoreRefused("locked", "x"), "store_locked", 8],
    [new StoreRefused("damaged", "x"), "store_damaged", 9],
    [new StorageUnavailable("x"), "store_unavailable", 1],
    [new ServeError("x"), "config", 2],
    [new TypeError("x"), "unexpected", 1],
  ])("is, for the server's %o, %s with exit code %i", (error, code, exitCode) => {
    expect(toFailure(error)).toMatchObject({ code, exitCode });
  });
});

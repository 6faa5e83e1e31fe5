// Faults of a service, signals and ports: see transcripts/exit-codes.txt for the rest.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { ERRORS_PAGE, CLI_ERRORS } from "../../src/cli/errors.ts";
import { ERROR_CODES } from "../../src/client/errors.ts";
import { answering } from "../_answering.ts";
import { runCli, type CliOptions } from "../_cli.ts";
import { setup } from "../_setup.ts";

interface SaidError {
  code: string;
  message: string;
  hint?: string;
}

describe("Exit code", () => {
  type Row = [code: number, what: string, argv: string[], options: CliOptions, error: SaidError];
  const rows: Row[] = [
    [
      7,
      "a failure of the service",
      ["users", "list"],
      { fetch: answering(500, '{"error":"Internal error"}') },
      { code: "internal", message: "acme.localhost:7820 failed with 500.", hint: "See what the server printed." },
    ],
    [
      7,
      "a gateway without a service",
      ["users", "list"],
      { fetch: answering(502, "<html>Bad Gateway</html>") },
      {
        code: "unavailable",
        message: "The gateway of acme.localhost:7820 returned 502: the service behind it does not answer.",
        hint: "Try again shortly, or wait for it with --wait 60s.",
      },
    ],
    [
      7,
      "a service that can't be reached",
      ["users", "list"],
      { fetch: () => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" })) },
      {
        code: "connection",
        message: "Nothing listens at acme.localhost:7820 (ECONNREFUSED).",
        hint: "Start a local server with: svc serve",
      },
    ],
    [
      130,
      "Ctrl-C",
      ["sign-in", "--no-open"],
      { signal: "SIGINT" },
      { code: "interrupted", message: "Interrupted before the sign-in was complete." },
    ],
    [
      143,
      "a request to end",
      ["sign-in", "--no-open"],
      { signal: "SIGTERM" },
      { code: "terminated", message: "Interrupted before the sign-in was complete." },
    ],
  ];

  it.each(rows)(
    "%i is returned for %s, and --json makes the error the last line of stderr",
    async (code, _, argv, options, error) => {
      const service = await setup();
      expect(Object.keys({ ...ERROR_CODES, ...CLI_ERRORS })).toContain(error.code);
      const result = await runCli([...argv, "--json"], { service, ...options });
      expect([result.code, result.stdout]).toEqual([code, ""]);
      expect(JSON.parse(result.stderr.trimEnd().split("\n").at(-1)!)).toEqual({
        error: { ...error, docs: `${ERRORS_PAGE}#${error.code}`, exitCode: code },
      });
    },
  );

  it.each(rows)(
    "%i is returned for %s, with a message in words on a terminal",
    async (code, _, argv, options, { message, hint }) => {
      const service = await setup();
      const result = await runCli(argv, { service, ...options });
      expect([result.code, result.stdout]).toEqual([code, ""]);
      const words = `✗ ${message}\n${hint === undefined ? "" : `  ${hint}\n`}`;
      expect(result.stderr.slice(-words.length)).toBe(words);
    },
  );

  it("8 is returned for a port that is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await runCli(["serve", "--store", "memory", "--port", String(port)]);
    other.close();
    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toBe(
      `✗ Port ${port} is in use by another process. Stop that one, or choose another port: --port 0 takes any that is free.\n`,
    );
  });
});

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { ERRORS_PAGE, CLI_ERRORS } from "../../src/cli/errors.ts";
import { ERROR_CODES } from "../../src/client/errors.ts";
import { answering } from "../_answering.ts";
import { runCli, type CliOptions } from "../_cli.ts";
import { ADA, ADA_OF_GLOBEX, NOBODY, setup } from "../_setup.ts";
import { PROVIDERS } from "../../src/wire/providers.ts";

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
      2,
      "an id that can't be one",
      ["users", "get", "ada"],
      {},
      {
        code: "usage",
        message: '"ada" is not a user id or e-mail address.',
        hint: "Find the user with: svc users search --name ada",
      },
    ],
    [
      2,
      "a search for nothing",
      ["users", "search"],
      {},
      {
        code: "usage",
        message: "No search terms.",
        hint: "To list all: svc users list. To search, for example: svc users search 'email:*@acme.test'",
      },
    ],
    [
      2,
      "a limit that is not a number",
      ["users", "list", "--limit", "ten"],
      {},
      {
        code: "usage",
        message: '--limit: "ten" is not a number from 1 to 999999999.',
      },
    ],
    [
      2,
      "a limit that is out of range",
      ["users", "list", "--limit", "0"],
      {},
      {
        code: "usage",
        message: '--limit: "0" is not a number from 1 to 999999999.',
      },
    ],
    [
      2,
      "an invalid term",
      ["users", "search", "ada"],
      {},
      {
        code: "usage",
        message:
          '"ada" is not a search term. Write field:value, such as email:*@acme.test. A value cannot contain a space.',
        hint: "To find a name: svc users search --name ada. An address: svc users search 'email:*ada*'",
      },
    ],
    [
      2,
      "an unknown provider",
      ["sign-in", "--provider", "myspace"],
      {},
      {
        code: "usage",
        message: '--provider: unknown provider "myspace".',
        hint: `Use one of ${PROVIDERS.join(", ")}.`,
      },
    ],
    [
      2,
      "no token",
      ["tokens", "decode", "-"],
      {},
      {
        code: "usage",
        message: "The token is empty.",
        hint: "Check that the variable or file has one.",
      },
    ],
    [
      2,
      "a missing confirmation",
      ["users", "delete", ADA],
      {},
      {
        code: "usage",
        message: "Cannot prompt: standard input is not a terminal.",
        hint: "Add --yes to delete without confirmation.",
      },
    ],
    [
      2,
      "an invalid port",
      ["serve", "--port", "http"],
      {},
      {
        code: "usage",
        message: '--port: "http" is not a number from 0 to 65535.',
      },
    ],
    [
      3,
      "an unknown user",
      ["users", "get", NOBODY],
      {},
      {
        code: "user_not_found",
        message: "User not found (acme.localhost:7820, instance acme).",
        hint: "It may have been deleted, or belong to another instance. Search with: svc users search 'email:*@acme.test'",
      },
    ],
    [
      3,
      "a user of another instance",
      ["users", "get", ADA_OF_GLOBEX],
      {},
      {
        code: "user_not_found",
        message: "User not found (acme.localhost:7820, instance acme).",
        hint: "It may have been deleted, or belong to another instance. Search with: svc users search 'email:*@acme.test'",
      },
    ],
    [
      3,
      "an unknown session",
      ["sessions", "get", `svc_session_${NOBODY}`],
      {},
      {
        code: "session_not_found",
        message: "Session not found (acme.localhost:7820, instance acme).",
        hint: "It may have been deleted, or belong to another instance. List sessions with: svc sessions list",
      },
    ],
    [
      4,
      "no key",
      ["users", "list"],
      { env: { SVC_SECRET_KEY: undefined } },
      {
        code: "no_key",
        message: "No secret key for this service.",
        hint: "Set SVC_SECRET_KEY, or store the key with: svc login",
      },
    ],
    [
      4,
      "a key that is refused",
      ["users", "list"],
      { env: { SVC_SECRET_KEY: "sk_wrong_0123456789abcdefghijklmnopqrstuv" } },
      {
        code: "unauthorized",
        message: "acme.localhost:7820 refused the key sk_…stuv, from SVC_SECRET_KEY.",
        hint: "It may have been replaced, or be the key of another instance: ask the operator of the service.",
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

  it("0 is returned on success", async () => {
    const service = await setup();
    expect((await runCli(["users", "list"], { service })).code).toBe(0);
  });

  it("1 is returned when the user declines", async () => {
    const service = await setup();
    const { code, stderr } = await runCli(["users", "delete", ADA], {
      service,
      tty: true,
      confirm: () => false,
      env: { NO_COLOR: "1" },
    });
    expect([code, stderr]).toEqual([1, "✗ Declined. No users were deleted.\n"]);
  });

  it("5 is returned for an invalid token, without output if -q is given", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    service.clock.advance(3600);
    const verify = ["tokens", "verify", "-"];
    expect(await runCli(verify, { service, stdin: token })).toMatchObject({
      code: 5,
      stdout: "",
      stderr: "✗ Token expired\n  It expired just now (2026-06-01T13:00:00Z). It was issued to ada@acme.test.\n",
    });
    expect(await runCli([...verify, "-q"], { service, stdin: token })).toMatchObject({
      code: 5,
      stdout: "",
      stderr: "",
    });
  });

  it("3 is returned for the valid token of a deleted user", async () => {
    const service = await setup();
    const token = await service.tokenFor("google", "ada");
    await service.client(service.acme).users.delete(ADA);
    expect((await runCli(["tokens", "verify", "-"], { service, stdin: token })).code).toBe(3);
  });

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

  const USAGE: [argv: string[]][] = [
    [["no-such-command"]],
    [["users", "get"]],
    [["users", "list", "--no-such-option"]],
    [["users", "list", "superfluous"]],
    [["users", "list", "--limit"]],
    [["instances", "resolve", "--secret-key", "x"]],
  ];

  it.each(USAGE)("2 is returned for %j, which sends nothing", async (argv) => {
    const service = await setup();
    const { code, stdout, stderr, requests } = await runCli(argv, { service });
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).not.toBe("");
  });

  it.each(USAGE)("2 is returned for %j with a JSON error if --json is given", async (argv) => {
    const service = await setup();
    const { code, stdout, stderr } = await runCli(["--json", ...argv], { service });
    expect([code, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toEqual({
      error: expect.objectContaining({ code: "usage", message: expect.any(String) as string, exitCode: 2 }) as object,
    });
  });

  it("2 is returned when a token is missing on a terminal, instead of waiting for one", async () => {
    const service = await setup();
    const { code, stderr } = await runCli(["tokens", "verify"], { service, tty: true, env: { NO_COLOR: "1" } });
    expect([code, stderr]).toEqual([2, '✗ No token given.\n  Pipe it in: echo "$TOKEN" | svc tokens verify -\n']);
  });
});

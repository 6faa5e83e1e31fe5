import { beforeEach, describe, expect, it } from "vitest";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { setup, type Service } from "../_setup.ts";

let service: Service;

beforeEach(async () => {
  service = await setup();
});

const verify = (argv: string[], options: CliOptions = {}): Promise<CliResult> =>
  runCli(["tokens", "verify", ...argv], { service, ...options });

describe("svc tokens verify", () => {
  it.each([[""], ["\n\n  \n"]])("--batch refuses an input without tokens: %j", async (stdin) => {
    for (const quiet of [[], ["-q"]]) {
      const { code, stdout, stderr } = await verify(["--batch", ...quiet], { stdin });
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe("✗ No tokens on standard input.\n  Give one token a line.\n");
    }
  });

  it.each<[what: string, argv: string[], options: CliOptions]>([
    ["an empty input", ["-"], { stdin: "" }],
    ["no input", [], { tty: ["stdin"] }],
    ["the name of a file", ["token.txt"], {}],
    ["no key", ["-"], { stdin: "a.b.c", env: { SVC_SECRET_KEY: undefined } }],
  ])("--json prints the form for %s as well, and the error on stderr", async (_, argv, options) => {
    const { code, stdout, stderr } = await verify(["--json", ...argv], options);
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string; exitCode: number } };
    expect(error.exitCode).toBe(code);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      code: error.code,
      error: error.message,
      checked: null,
      user_id: null,
    });
  });

  it("-q prints nothing with --json either, and leaves an error to stderr", async () => {
    const token = await service.tokenFor("google", "ada");
    expect(await verify(["-q", "--json"], { stdin: token })).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await verify(["-q", "--json"], { stdin: "a.b.c" })).toMatchObject({ code: 5, stdout: "", stderr: "" });
    const { code, stdout, stderr } = await verify(["-q", "--json"], { stdin: "" });
    expect([code, stdout, JSON.parse(stderr)]).toMatchObject([2, "", { error: { exitCode: 2 } }]);
  });
});

import { beforeEach, describe, expect, it } from "vitest";
import { runCli, type CliResult } from "../_cli.ts";
import { ADA, CONTROL_KEY, FRONT, NOBODY, setup, type Service } from "../_setup.ts";

let service: Service;
let token: string;

beforeEach(async () => {
  service = await setup();
  token = await service.tokenFor("google", "ada");
});

const run = (argv: string[], env: Record<string, string | undefined> = {}): Promise<CliResult> =>
  runCli(argv, { service, env, stdin: token });

describe("Exit code 3", () => {
  it.each<[what: string, argv: string[], env: Record<string, string | undefined>]>([
    ["an address with a wrong path", [], { SVC_BASE_URL: "http://acme.localhost:7820/foo" }],
    ["an address that the service does not know", [], { SVC_BASE_URL: "http://evil.test", SVC_INSECURE: "1" }],
    [
      "a publishable key of no instance",
      [],
      {
        SVC_BASE_URL: undefined,
        SVC_API_URL: "http://api.localhost:7820",
        SVC_PUBLISHABLE_KEY: "pk_nosuch_0123456789",
      },
    ],
    ["an unknown profile", ["--profile", "nosuch"], { SVC_CONFIG_DIR: "/nowhere" }],
    ["an unknown profile in the environment", [], { SVC_PROFILE: "nosuch", SVC_CONFIG_DIR: "/nowhere" }],
  ])("of a verification never means %s: that is 2", async (_, flags, env) => {
    const { code, stdout } = await run(["tokens", "verify", "-", "--json", ...flags], env);
    expect([code, JSON.parse(stdout)]).toEqual([2, expect.objectContaining({ valid: false, checked: null })]);
    const { code: got, stderr } = await run(["users", "get", ADA, ...flags], env);
    expect(got).toBe(2);
    if (env["SVC_BASE_URL"]?.endsWith("/foo")) expect(stderr).toContain(`has no /foo/api/v1/users/${ADA} (404)`);
    expect((await run(["users", "get", "ada@acme.test", ...flags], env)).code).toBe(2);
  });

  it("still means a user who was deleted, or does not exist, by id or by address alike", async () => {
    for (const user of [NOBODY, "nobody@acme.test"]) {
      const { code, stderr } = await run(["users", "get", user, "--json"]);
      expect([code, JSON.parse(stderr)]).toMatchObject([3, { error: { code: "user_not_found", exitCode: 3 } }]);
    }
    await service.client(service.acme).users.delete(ADA);
    expect((await run(["tokens", "verify", "-"])).code).toBe(3);
  });
});

describe("svc dev", () => {
  it("ends with 2 for a wrong address of the server, and with 3 for a record that it does not have", async () => {
    service = await setup({ control: true });
    const dev = (url: string, ...argv: string[]): Promise<CliResult> =>
      run(["dev", ...argv], {
        SVC_CONTROL_URL: url,
        SVC_CONTROL_KEY: CONTROL_KEY,
        SVC_BASE_URL: undefined,
        SVC_SECRET_KEY: undefined,
      });
    expect((await dev(FRONT, "clock")).code).toBe(0);
    const missing = await dev(FRONT, "snapshot", "restore", "missing", "--yes");
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('there is no snapshot "missing"')]);
    for (const url of [`${FRONT}/foo`, "http://acme.localhost:7820"]) {
      const { code, stderr } = await dev(url, "clock");
      expect([url, code, stderr]).toEqual([url, 2, expect.stringContaining("SVC_CONTROL_URL")]);
    }
  });
});

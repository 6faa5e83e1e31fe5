import { describe, expect, it } from "vitest";
import { runCli, type CliOptions } from "../_cli.ts";
import { setup, ADA } from "../_setup.ts";

describe("users delete", () => {
  it("asks for confirmation on a terminal and names the user", async () => {
    const service = await setup();
    const asked: string[] = [];
    const confirm = (question: string): boolean => asked.push(question) > 0;
    const { code, stdout } = await runCli(["users", "delete", ADA], { service, tty: true, confirm });
    expect([code, stdout, asked]).toEqual([
      0,
      `Deleted ${ADA}\n`,
      [
        `Delete Ada Lovelace (ada@acme.test) from http://acme.localhost:7820 (SVC_BASE_URL), instance acme (${service.acme.id})? This cannot be undone.`,
      ],
    ]);
    expect(await service.client(service.acme).users.find(ADA)).toBeUndefined();
  });

  it.each<[what: string, options: CliOptions]>([
    ["the person says no", { tty: true, confirm: () => false }],
    ["standard input is a pipe", { tty: ["stdout", "stderr"] }],
    ["the question could not be seen", { tty: ["stdin", "stdout"] }],
    ["there is no terminal", { tty: false }],
    ["a yes comes by pipe", { stdin: "y\n" }],
    ["it runs in CI", { tty: true, env: { CI: "true" } }],
    ["input is switched off", { tty: true, env: { SVC_NO_INPUT: "1" } }],
  ])("deletes nothing when %s", async (_, options) => {
    const service = await setup();
    const { code, stdout, requests } = await runCli(["users", "delete", ADA], {
      service,
      confirm: () => true,
      ...options,
    });
    expect([code === 0, stdout, requests.filter(({ method }) => method === "DELETE")]).toEqual([false, "", []]);
    expect(await service.client(service.acme).users.find(ADA)).toBeDefined();
  });

  it.each(["--yes", "-y"])("does not ask for confirmation with %s", async (flag) => {
    const service = await setup();
    expect(await runCli(["users", "delete", ADA, flag], { service, tty: true })).toMatchObject({
      code: 0,
      stdout: `Deleted ${ADA}\n`,
      stderr:
        `Deleting from http://acme.localhost:7820 (SVC_BASE_URL), instance acme (${service.acme.id})\n` +
        "Deleted 1 user of acme (http://acme.localhost:7820, SVC_BASE_URL).\n",
    });
    expect(await service.client(service.acme).users.find(ADA)).toBeUndefined();
  });
});

describe("tokens verify", () => {
  it.each<[argv: string[], viaStdin: boolean]>([
    [["tokens", "verify", "-"], true],
    [["tokens", "verify"], true],
    [["tokens", "verify", "TOKEN"], false],
  ])("%j prints the user of a valid token", async (argv, viaStdin) => {
    const service = await setup();
    const token = await service.tokenFor("twitter", "ada");
    const args = argv.map((argument) => (argument === "TOKEN" ? token : argument));
    const { code, stdout, stderr } = await runCli(args, { service, stdin: viaStdin ? `${token}\n` : "" });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "valid\tyes",
      expect.stringMatching(/^user_id\t[0-9a-f-]{36}$/),
      "email\t3001@twitter.invalid",
      "name\tAda Lovelace",
      "provider\ttwitter",
      "avatar_url\thttp://localhost:7820/__svc/simulator/avatars/ada.svg",
      "expires_at\t2026-06-01T13:00:00.000Z",
      "",
    ]);
  });

  it("prints nothing with -q", async () => {
    const service = await setup();
    const stdin = await service.tokenFor("google", "ada");
    const argv = ["tokens", "verify", "-q", "-"];
    expect(await runCli(argv, { service, stdin })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });
});

describe("instances resolve", () => {
  it("needs no secret key", async () => {
    const service = await setup();
    const env = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined, SVC_API_URL: service.addresses.api };
    const { code, stdout } = await runCli(["instances", "resolve", "pk_globex_0123456789"], { service, env });
    expect([code, stdout]).toEqual([
      0,
      `id\t${service.globex.id}\npublishable_key\tpk_globex_0123456789\nurl\thttp://globex.localhost:7820\nsubdomain\tglobex\n`,
    ]);
  });

  it("resolves the key of SVC_PUBLISHABLE_KEY without an argument, and asks for one where there is none", async () => {
    const service = await setup();
    const none = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined, SVC_API_URL: service.addresses.api };
    const env = { ...none, SVC_PUBLISHABLE_KEY: "pk_globex_0123456789" };
    const { code, stdout } = await runCli(["instances", "resolve"], { service, env });
    expect([code, stdout.split("\n")[0]]).toEqual([0, `id\t${service.globex.id}`]);
    const without = await runCli(["instances", "resolve"], { service, env: none });
    expect([without.code, without.stderr]).toEqual([
      2,
      "✗ No publishable key.\n  Pass it, or set SVC_PUBLISHABLE_KEY: svc instances resolve pk_…\n",
    ]);
  });

  it("asks at the instance's own address when no other is known", async () => {
    const service = await setup();
    const { code, stdout } = await runCli(["instances", "resolve", "pk_acme_0123456789"], { service });
    expect([code, stdout.split("\n")[2]]).toEqual([0, "url\thttp://acme.localhost:7820"]);
  });

  it("exits with 3 for an unknown key", async () => {
    const service = await setup();
    const { code, stderr } = await runCli(["instances", "resolve", "pk_nobody_0123456789"], { service });
    expect([code, stderr]).toEqual([
      3,
      "✗ No instance has the publishable key pk_nobody_0123456789.\n  svc instances list shows the keys of a server on this machine. Elsewhere, check SVC_API_URL.\n",
    ]);
    const json = await runCli(["instances", "resolve", "pk_nobody_0123456789", "--json"], { service });
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "instance_not_found", exitCode: 3 } });
  });
});

import { describe, expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { setup, NOBODY } from "../_setup.ts";

describe("A secret key", () => {
  const KEY = "sk_live_0123456789abcdefghijklmnopqrstuvwxyz";

  it.each([
    [["users", "list", "--secret-key", KEY]],
    [["users", "list", `--secret-key=${KEY}`]],
    [["--secret-key", KEY, "users", "list"]],
    [["users", "get", KEY]],
    [["users", "list", "--instance", KEY]],
    [["users", "list", `--base-url=${KEY}`]],
    [["instances", "resolve", KEY]],
    [["tokens", "verify", KEY]],
    [[KEY]],
    [[`SVC_SECRET_KEY=${KEY}`, "users", "list"]],
    [["users", "list", `SVC_SECRET_KEY=${KEY}`]],
    [["users", "list", `-k${KEY}`]],
    [["users", "search", "--", KEY]],
  ])("in an argument is refused and not repeated: %j", async (argv) => {
    const service = await setup();
    for (const more of [[], ["--json"]]) {
      const { code, stdout, stderr, requests } = await runCli([...more, ...argv], { service });
      expect([code, stdout, requests]).toEqual([2, "", []]);
      expect(stderr).toContain("SVC_SECRET_KEY");
      expect(stderr).not.toContain(KEY);
    }
  });

  it("is not mistaken for one in a search for similar text", async () => {
    const service = await setup();
    expect((await runCli(["users", "search", "name:*task_force*"], { service })).code).toBe(0);
  });

  it("is not mistaken for one in an e-mail address", async () => {
    const service = await setup();
    for (const argv of [
      ["users", "search", "email:sk_ada@acme.test"],
      ["users", "get", "ctl_ada@acme.test"],
    ])
      expect((await runCli(argv, { service })).stderr).not.toContain("secret key");
  });

  it("appears in nothing that svc prints", async () => {
    const service = await setup();
    for (const argv of [
      ["users", "list"],
      ["users", "get", NOBODY],
      ["sessions", "list", "--json"],
      ["nonsense"],
      ["--help"],
    ]) {
      const { stdout, stderr } = await runCli(argv, { service });
      expect(stdout + stderr).not.toContain(service.acme.secret_key);
    }
  });
});

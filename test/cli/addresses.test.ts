import { describe, expect, it } from "vitest";
import { runCli } from "../_cli.ts";

const SECRET_KEY = "sk_test_0123456789abcdefghijklmnopqrstuvwxyz";
const PASSWORD = "hunter2";

describe("An address that is not one of a service", () => {
  it.each([
    ["with a login", `http://ada:${PASSWORD}@localhost:1`, "must not contain a user name or password"],
    ["with a password alone", `http://:${PASSWORD}@localhost:1`, "must not contain a user name or password"],
    ["with a query", `http://localhost:1?x=${PASSWORD}`, "must not contain a query or a fragment"],
    ["with a fragment", `http://localhost:1#${PASSWORD}`, "must not contain a query or a fragment"],
    ["without a scheme", `http//ada:${PASSWORD}@localhost:1`, "must be an http or https address"],
    ["of another scheme", `ftp://ada:${PASSWORD}@localhost:1`, "must be an http or https address"],
  ])("is refused %s, by what is wrong with it and without repeating it", async (_, address, message) => {
    const key = { SVC_SECRET_KEY: SECRET_KEY };
    for (const [source, argv, env] of [
      ["--base-url", ["users", "list", "--base-url", address], key],
      // A key for another origin is no reason to show it.
      ["--base-url", ["users", "list", "--base-url", address], { ...key, SVC_BASE_URL: "https://acme.svc.test" }],
      ["SVC_API_URL", ["instances", "resolve", "pk_x"], { SVC_API_URL: address }],
      ["SVC_BASE_URL", ["whoami"], { ...key, SVC_BASE_URL: address }],
      ["SVC_CONTROL_URL", ["dev", "clock"], { SVC_CONTROL_URL: address, SVC_CONTROL_KEY: "ctl_x" }],
    ] as const) {
      const { code, stdout, stderr, requests } = await runCli([...argv], { env });
      expect([code, stdout, requests]).toEqual([2, "", []]);
      expect(stderr).toContain(`${source} ${message}`);
      expect(stderr).not.toContain(PASSWORD);
    }
  });
});

import { describe, expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { setup, type Service, ADA } from "../_setup.ts";

/** Follows every redirect like a browser, up to the application's. */
function browserOf(service: Service): (url: string) => Promise<void> {
  return async (url) => {
    let location = url;
    while (!location.startsWith("http://127.0.0.1:")) {
      const response = await service.fetch(location);
      location = response.headers.get("location") ?? (await Promise.reject(new Error(await response.text())));
    }
    await fetch(location);
  };
}

describe("svc sign-in", () => {
  it("prints the token's claims, and needs no browser for a simulated account", async () => {
    const service = await setup();
    const argv = ["sign-in", "--provider", "github", "--as", "ada@acme.test", "--json"];
    const { code, stdout, stderr } = await runCli(argv, { service });
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      iss: "svc",
      sub: ADA,
      email: "ada@acme.test",
      name: "Ada Lovelace",
      avatar_url: "http://localhost:7820/__svc/simulator/avatars/ada.svg",
      provider: "github",
      instance_id: service.acme.id,
      app_id: service.acme.app_id,
      iat: service.clock.now().getTime() / 1000,
      exp: service.clock.now().getTime() / 1000 + 3600,
    });
  });

  it("prints only the token with --token", async () => {
    const service = await setup();
    const { stdout } = await runCli(["sign-in", "--as", "ada", "--token"], { service });
    const { code } = await runCli(["tokens", "verify", "-"], { service, stdin: stdout });
    expect([stdout.split("\n").length, code]).toEqual([2, 0]);
  });

  it("prints times in words on a terminal", async () => {
    const service = await setup();
    const options = { service, tty: true, env: { NO_COLOR: "1" } };
    const { stdout } = await runCli(["sign-in", "--as", "ada"], options);
    expect(stdout).toContain("\nexp          1780318800 (in 1 hour)\n");
  });

  it("prints the error that the application would get when the sign-in fails", async () => {
    const service = await setup();
    const argv = ["sign-in", "--provider", "github", "--as", "alan"];
    const { code, stdout, stderr } = await runCli(argv, { service });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^✗ Not signed in: email_not_verified\.\n {2}The provider has no verified e-mail address for this account\.\n$/,
    );
  });

  it("prints the link and opens it in a browser", async () => {
    const service = await setup();
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<void> => {
      opened.push(url);
      await browserOf(service)(`${url}&login_hint=ada`);
    };
    const { code, stderr } = await runCli(["sign-in", "--provider", "github"], { service, openBrowser });
    expect([code, stderr]).toEqual([
      0,
      `Sign in at:\n  ${opened[0]}\nWaiting for the sign-in. Press Ctrl-C to stop.\n`,
    ]);
    expect(opened).toEqual([
      expect.stringMatching(
        /^http:\/\/acme\.localhost:7820\/oauth\/authorize\?provider=github&redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A\d+%2F[0-9a-f]{32}$/,
      ),
    ]);
  });

  it("continues when no browser can be opened", async () => {
    const service = await setup();
    const { code, stderr } = await runCli(["sign-in"], { service, signal: "SIGINT" });
    expect([code, stderr]).toEqual([130, expect.stringContaining("Could not open a browser. Open the link.\n")]);
  });

  it("opens no browser with --no-open", async () => {
    const service = await setup();
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<void> => void opened.push(url);
    await runCli(["sign-in", "--no-open"], { service, openBrowser, signal: "SIGTERM" });
    expect(opened).toEqual([]);
  });
});

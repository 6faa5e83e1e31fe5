import { describe, expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { configDirectory, following } from "../_redirect-file.ts";
import type { FetchInit, FetchResponse } from "../../src/http/fetch.ts";
import { ADA, SEED, setup, type Service } from "../_setup.ts";

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

  it("says how to activate an instance that is not active", async () => {
    const service = await setup({
      seed: { ...SEED, instances: SEED.instances.map((one) => ({ ...one, active: false })) },
    });
    for (const argv of [
      ["sign-in", "--as", "ada"],
      ["sign-in", "--no-open"],
    ]) {
      const { code, stderr } = await runCli(argv, { service });
      expect([code, stderr]).toEqual([1, expect.stringContaining("refused the sign-in: Instance not found.\n")]);
      expect(stderr).toContain("svc dev instances update acme --active\n");
    }
    expect((await runCli(["doctor"], { service })).stdout).toContain("an instance that is active");
  });

  it.each([
    ["1", "1 second"],
    ["0.5", "0.5 seconds"],
  ])("with --timeout %s waits %s for a browser", async (timeout, inWords) => {
    const { code, stderr } = await runCli(["sign-in", "--no-open", "--timeout", timeout], { service: await setup() });
    expect([code, stderr]).toEqual([
      7,
      expect.stringMatching(new RegExp(`Waiting up to ${inWords} .*\n✗ No sign-in within ${inWords}\\.\n`)),
    ]);
  });

  it("prints claims as svc tokens decode does, on a terminal and in a pipe", async () => {
    const service = await setup();
    for (const [tty, exp] of [
      [true, "\nexp          in 1 hour (2026-06-01T13:00:00Z)\n"],
      [false, "\nexp\t2026-06-01T13:00:00.000Z\n"],
    ] as const) {
      const options = { service, tty, env: { NO_COLOR: "1" } };
      const { stdout } = await runCli(["sign-in", "--as", "ada"], options);
      expect(stdout).toContain(exp);
      const { stdout: token } = await runCli(["sign-in", "--as", "ada", "--token"], { service });
      const decoded = await runCli(["tokens", "decode", "-"], { ...options, stdin: token });
      expect(decoded.stdout).toBe(stdout);
    }
  });

  it("prints the link and opens it in a browser", async () => {
    const service = await setup();
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<void> => {
      opened.push(url);
      await browserOf(service)(`${url}&login_hint=ada`);
    };
    const { code, stderr } = await runCli(["sign-in", "--provider", "github"], {
      service,
      openBrowser: following(openBrowser),
      env: { SVC_BROWSER: "browser", ...configDirectory() },
    });
    expect([code, stderr]).toEqual([
      0,
      `Sign in at:\n  ${opened[0]}\nWaiting up to 300 seconds for the sign-in. Press Ctrl-C to stop.\n`,
    ]);
    expect(opened).toEqual([
      expect.stringMatching(
        /^http:\/\/acme\.localhost:7820\/oauth\/authorize\?provider=github&redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A\d+%2Fsvc-sign-in%3Fstate%3D[0-9a-f]{32}$/,
      ),
    ]);
  });

  it("continues on a terminal when no browser can be opened", async () => {
    const service = await setup();
    const openBrowser = async (url: string): Promise<void> => {
      await browserOf(service)(`${url}&login_hint=ada`);
      throw new Error("there is no browser");
    };
    const { code, stderr } = await runCli(["sign-in"], {
      service,
      openBrowser: following(openBrowser),
      env: configDirectory(),
      tty: ["stderr"],
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining("Could not open a browser. Open the link.\n")]);
  });

  it.each([
    ["there is no desktop", {}],
    ["the browser does not start", { SVC_BROWSER: "browser" }],
  ])("fails at once without a terminal if %s", async (_, env) => {
    const { code, stdout, stderr } = await runCli(["sign-in"], { service: await setup(), env });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(
      "✗ No browser can be opened here, and standard error is not a terminal.\n" +
        "  Without a browser: svc sign-in --as <account>. To print the link and wait: svc sign-in --no-open\n",
    );
  });

  it("opens no browser with --no-open", async () => {
    const service = await setup();
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<void> => void opened.push(url);
    // The person signs in as soon as the link is known.
    const fetch = async (url: string, init: FetchInit): Promise<FetchResponse> => {
      if (new URL(url).pathname === "/sign-in") await browserOf(service)(`${url}&login_hint=ada`);
      return (await service.fetch(url, init as RequestInit)) as unknown as FetchResponse;
    };
    const { code, stderr } = await runCli(["sign-in", "--no-open"], { service, openBrowser, fetch });
    expect([code, stderr, opened]).toEqual([
      0,
      expect.stringMatching(/^Sign in at:\n {2}http\S+\nWaiting up to 300 seconds /),
      [],
    ]);
  });

  it("ends on Ctrl-C", async () => {
    const { code, stderr } = await runCli(["sign-in", "--no-open"], { service: await setup(), signal: "SIGINT" });
    expect([code, stderr]).toEqual([130, "✗ Interrupted before the sign-in was complete.\n"]);
  });
});

describe("The account of svc sign-in --as", () => {
  it("may be any e-mail address, of which the simulator makes an account", async () => {
    const service = await setup();
    const argv = ["sign-in", "--provider", "github", "--as", "New.Person+1@person.test", "--json"];
    const { code, stdout, stderr } = await runCli(argv, { service });
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ email: "New.Person+1@person.test", provider: "github" });
  });

  it.each([
    ["stranger", "GitHub", "Use the id of a persona of the seed, or any e-mail address. "],
    ["@person.test", "GitHub", "Use the id of a persona of the seed, or any e-mail address. "],
    ["bo", "GitHub", "Use the id of a persona of the seed, or any e-mail address. "],
    [
      "bo@person.test",
      "GitHub",
      "This person of the seed has no account at GitHub. Use another --provider, or another address.",
    ],
  ])("has to exist at the provider: %s does not at %s", async (account, provider, hint) => {
    const bo = { id: "bo", name: "Bo", email: "bo@person.test", google: { sub: "9001", email_verified: true } };
    const service = await setup({ seed: { ...SEED, personas: [bo] } });
    const { code, stdout, stderr } = await runCli(["sign-in", "--provider", "github", "--as", account], { service });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr.split("\n")[0]).toBe(`✗ The simulated ${provider} has no account "${account}".`);
    expect(stderr).toContain(`\n  ${hint}`);
    expect(stderr).not.toContain("ada");
    expect(await runCli(["sign-in", "--provider", "google", "--as", "bo"], { service })).toMatchObject({ code: 0 });
  });

  it("is refused with every answer read, so that no connection keeps the command from ending", async () => {
    const service = await setup();
    const answers: Response[] = [];
    const fetch = async (url: string, init: FetchInit): Promise<FetchResponse> => {
      answers.push(await service.fetch(url, init as RequestInit));
      return answers.at(-1) as unknown as FetchResponse;
    };
    expect(await runCli(["sign-in", "--as", "stranger"], { service, fetch })).toMatchObject({ code: 3 });
    expect(answers.map(({ body, bodyUsed }) => body === null || bodyUsed)).toEqual(answers.map(() => true));
  });

  it("is refused at once where the provider is a real one", async () => {
    const service = await setup({ credentials: { github: { client_id: "our-id", client_secret: "secret" } } });
    for (const tty of [true, false])
      expect(await runCli(["sign-in", "--provider", "github", "--as", "ada"], { service, tty })).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(
          "--as is for simulated providers, and this sign-in continues at github.com.",
        ) as string,
      });
    expect(await runCli(["sign-in", "--provider", "google", "--as", "ada"], { service })).toMatchObject({ code: 0 });
  });

  it("gets no token where the service ends the sign-in itself", async () => {
    const service = await setup();
    const argv = ["sign-in", "--as", "ada"];
    const fetch = async (url: string, init: FetchInit): Promise<FetchResponse> => {
      if (/^\/oauth\/.*callback$/.test(new URL(url).pathname)) service.clock.advance(3600);
      return (await service.fetch(url, init as RequestInit)) as unknown as FetchResponse;
    };
    const { code, stderr } = await runCli(argv, { service, fetch });
    expect([code, stderr]).toEqual([1, expect.stringContaining("refused the sign-in: Invalid or expired state")]);
  });
});

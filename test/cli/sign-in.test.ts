// Browsers, and services that change meanwhile: see transcripts/sign-in.txt for the rest.
import { describe, expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { configDirectory, following } from "../_redirect-file.ts";
import type { FetchInit, FetchResponse } from "../../src/http/fetch.ts";
import { setup, type Service } from "../_setup.ts";

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
});

describe("The account of svc sign-in --as", () => {
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

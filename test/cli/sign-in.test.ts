// Browsers, and services that change meanwhile: see transcripts/sign-in.txt for the rest.
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { Fetch, FetchInit, FetchResponse } from "../../src/http/fetch.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { configDirectory, following } from "../_redirect-file.ts";
import { writeRunning } from "../_server-file.ts";
import { CONTROL_KEY, SEED, setup, type Service } from "../_setup.ts";

const OWN_ENTRY = "http://127.0.0.1/svc-sign-in?*";

let cwd: string;
let service: Service;

beforeEach(() => {
  cwd = temporaryDirectory();
});

/** Gives acme these `redirect_uris`, and this directory the file of its server. */
async function register(redirect_uris: readonly string[], preview = false): Promise<void> {
  const [acme] = SEED.instances;
  service = await setup({ seed: { ...SEED, instances: [{ ...acme, redirect_uris, preview }] }, control: true });
  const { addresses } = service;
  const instances = [{ ...service.acme, url: addresses.instanceUrl(service.acme) }];
  await writeRunning(cwd, { url: addresses.front, api_url: addresses.api, instances });
}

/** `svc sign-in` in the server's directory. */
function signIn(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const env = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined, SVC_BROWSER: "browser" };
  return runCli(["sign-in", ...args], { service, cwd, ...options, env: { ...env, ...options.env } });
}

/** Follows a link like a browser, as Ada. @returns where the service sends her */
async function asAda(link: string): Promise<string> {
  let location = `${link}&login_hint=ada`;
  while (/^http:\/\/(acme\.)?localhost:7820\//.test(location)) {
    const response = await service.fetch(location);
    location = response.headers.get("location") ?? (await Promise.reject(new Error(await response.text())));
  }
  return location;
}

/** The address that a sign-in's link returns to. */
function returnsTo(link: string): string {
  return new URL(link).searchParams.get("redirect_uri") ?? "";
}

/** Begins a WebSocket, as Chromium does: without `Sec-Fetch-*`. @returns the status of the answer */
async function handshake(url: string): Promise<number> {
  const key = { "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
  const sent = request(url, { headers: { connection: "Upgrade", upgrade: "websocket", ...key } }).end();
  const [{ statusCode }] = (await once(sent, "response")) as [IncomingMessage];
  return statusCode!;
}

/** A browser that follows the file that it is given. */
function opening(visit: (link: string) => Promise<void>): CliOptions {
  return { openBrowser: following(visit), env: configDirectory() };
}

describe("svc sign-in --as", () => {
  it("sends nothing to the address that it returns to", async () => {
    await register(["https://app.test/callback"]);
    const { requests } = await signIn(["--as", "ada"]);
    expect(requests.filter(({ url }) => new URL(url).hostname === "app.test")).toEqual([]);
  });

  it("signs in to an instance of the service that the environment names, as below svc exec", async () => {
    await register(["http://localhost:3000/callback"]);
    const { acme, addresses } = service;
    const { code, stderr } = await signIn(["--as", "ada"], {
      env: {
        SVC_DATA_DIR: temporaryDirectory(),
        SVC_BASE_URL: addresses.front,
        SVC_SECRET_KEY: acme.secret_key,
        SVC_PUBLISHABLE_KEY: acme.publishable_key,
        SVC_CONTROL_URL: addresses.front,
        SVC_CONTROL_KEY: CONTROL_KEY,
      },
    });
    expect([code, stderr]).toEqual([0, `Signed in at acme (${addresses.front}, SVC_BASE_URL).\n`]);
  });
});

describe("svc sign-in with a browser", () => {
  it.each([
    [["http://localhost:3000/callback"], /^http:\/\/localhost:\d+\/callback$/],
    [["https://app.test/cb", "http://127.0.0.1:3000/cb?a=1"], /^http:\/\/127\.0\.0\.1:\d+\/cb\?a=1$/],
    [["http://localhost/cb", OWN_ENTRY], /^http:\/\/127\.0\.0\.1:\d+\/svc-sign-in\?state=[0-9a-f]{32}$/],
    [["*"], /^http:\/\/127\.0\.0\.1:\d+\/svc-sign-in\?state=[0-9a-f]{32}$/],
  ])("returns to this command where redirect_uris are %j", async (list, address) => {
    await register(list);
    const links: string[] = [];
    const openBrowser = async (link: string): Promise<void> => {
      links.push(link);
      await fetch(await asAda(link));
    };
    const { code, stdout } = await signIn(["--json"], opening(openBrowser));
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { email: "ada@acme.test" }]);
    expect(returnsTo(links[0]!)).toMatch(address);
  });

  it("prints the link and opens it", async () => {
    await register(["*"]);
    const opened: string[] = [];
    const openBrowser = async (link: string): Promise<void> => {
      opened.push(link);
      await fetch(await asAda(link));
    };
    const { code, stderr } = await signIn(["--provider", "github"], opening(openBrowser));
    expect([code, stderr]).toEqual([
      0,
      `Sign in at:\n  ${opened[0]}\nWaiting up to 300 seconds for the sign-in. Press Ctrl-C to stop.\nSigned in at acme (http://acme.localhost:7820, the local server).\n`,
    ]);
    expect(opened[0]).toMatch(/^http:\/\/acme\.localhost:7820\/oauth\/authorize\?provider=github&redirect_uri=/);
  });

  it("continues on a terminal when no browser can be opened", async () => {
    await register(["*"]);
    const openBrowser = async (link: string): Promise<void> => {
      await fetch(await asAda(link));
      throw new Error("there is no browser");
    };
    const { code, stderr } = await signIn([], { ...opening(openBrowser), tty: ["stderr"] });
    expect([code, stderr]).toEqual([0, expect.stringContaining("Could not open a browser. Open the link.\n")]);
  });

  it("opens none with --no-open", async () => {
    await register(["*"]);
    const opened: string[] = [];
    // The person signs in as soon as the link is known.
    const asService: Fetch = async (url, init) => {
      if (new URL(url).pathname === "/sign-in") await fetch(await asAda(url));
      return (await service.fetch(url, init as RequestInit)) as unknown as FetchResponse;
    };
    const openBrowser = async (url: string): Promise<void> => void opened.push(url);
    const { code, stderr } = await signIn(["--no-open"], { openBrowser, fetch: asService });
    expect([code, opened]).toEqual([0, []]);
    expect(stderr).toMatch(/^Sign in at:\n {2}http\S+\nWaiting up to 300 seconds /);
  });

  it("says what to add where redirect_uris have no address on this machine, and that entry works", async () => {
    await register(["https://app.test/callback"]);
    const { code, stdout, stderr } = await signIn([]);
    expect([code, stdout]).toEqual([1, ""]);
    const [, entry = ""] =
      /svc dev instances update acme --redirect-uri '([^']+)'\. This replaces the list/.exec(stderr) ?? [];
    await register(["https://app.test/callback", entry]);
    const openBrowser = async (link: string): Promise<void> => void (await fetch(await asAda(link)));
    expect(await signIn([], opening(openBrowser))).toMatchObject({ code: 0 });
  });

  it("T44: tells its address to no other user, who can read a program's arguments: the browser gets a private file", async () => {
    await register([]);
    let file = "";
    const openBrowser = async (opened: string): Promise<void> => {
      file = opened;
      expect((await stat(fileURLToPath(opened))).mode & 0o777).toBe(0o600);
      await following(async (link) => void (await fetch(await asAda(link))))(opened);
    };
    expect(await signIn([], { openBrowser, env: configDirectory() })).toMatchObject({ code: 0 });
    expect(file).toMatch(/^file:\/\/\/[^?]*open-sign-in\.html$/);
  });

  it("T44: takes no token from another page, program or path", async () => {
    await register(["http://localhost:3000/callback"]);
    const answers: [string, number][] = [];
    const openBrowser = async (link: string): Promise<void> => {
      const own = returnsTo(link);
      const ask = async (what: string, url: string, headers: Record<string, string> = {}): Promise<void> =>
        void answers.push([what, (await fetch(url, { headers })).status]);
      await ask("a script", `${own}?token=evil`, { "sec-fetch-dest": "empty" });
      await ask("a frame", `${own}?token=evil`, { "sec-fetch-dest": "iframe" });
      const asked = await handshake(`${own}?token=evil`);
      answers.push(["a WebSocket", asked]);
      await ask("another path", `${own}/?token=evil`);
      await ask("the user", await asAda(link), { "sec-fetch-dest": "document" });
    };
    expect(await signIn([], opening(openBrowser))).toMatchObject({ code: 0 });
    expect(answers).toEqual([
      ["a script", 404],
      ["a frame", 404],
      ["a WebSocket", 404],
      ["another path", 404],
      ["the user", 200],
    ]);
  });

  it("T44: refuses a token that the service does not know, also from a navigation", async () => {
    await register([]);
    const [head = "", payload = ""] = (await service.tokenFor("google", "ada")).split(".");
    for (const token of ["evil", `${head}.${payload}.${"A".repeat(43)}`]) {
      const openBrowser = async (link: string): Promise<void> => {
        const own = new URL(returnsTo(link));
        own.searchParams.set("token", token);
        await fetch(own, { headers: { "sec-fetch-dest": "document" } });
      };
      const { code, stdout } = await signIn(["--token"], opening(openBrowser));
      expect([token, code, stdout]).toEqual([token, 5, ""]);
    }
  });

  it("T44: takes no token without the state of its address", async () => {
    await register([]);
    const statuses: number[] = [];
    const openBrowser = async (link: string): Promise<void> => {
      const own = new URL(returnsTo(link));
      for (const query of ["token=evil", "token=evil&state=", `token=evil&state=${"0".repeat(32)}`])
        statuses.push((await fetch(`${own.origin}${own.pathname}?${query}`)).status);
      await fetch(await asAda(link));
    };
    expect(await signIn([], opening(openBrowser))).toMatchObject({ code: 0 });
    expect(statuses).toEqual([404, 404, 404]);
  });
});

describe("The account of svc sign-in --as", () => {
  it("is refused with every answer read, so that no connection keeps the command from ending", async () => {
    service = await setup();
    const answers: Response[] = [];
    const asService = async (url: string, init: FetchInit): Promise<FetchResponse> => {
      answers.push(await service.fetch(url, init as RequestInit));
      return answers.at(-1) as unknown as FetchResponse;
    };
    expect(await runCli(["sign-in", "--as", "stranger"], { service, fetch: asService })).toMatchObject({ code: 3 });
    expect(answers.map(({ body, bodyUsed }) => body === null || bodyUsed)).toEqual(answers.map(() => true));
  });

  it("is refused at once where the provider is a real one", async () => {
    service = await setup({ credentials: { github: { client_id: "our-id", client_secret: "secret" } } });
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
    service = await setup();
    const argv = ["sign-in", "--as", "ada"];
    const asService = async (url: string, init: FetchInit): Promise<FetchResponse> => {
      if (/^\/oauth\/.*callback$/.test(new URL(url).pathname)) service.clock.advance(3600);
      return (await service.fetch(url, init as RequestInit)) as unknown as FetchResponse;
    };
    const { code, stderr } = await runCli(argv, { service, fetch: asService });
    expect([code, stderr]).toEqual([1, expect.stringContaining("refused the sign-in: Invalid or expired state")]);
  });
});

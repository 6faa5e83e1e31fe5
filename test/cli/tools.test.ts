import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { answering } from "../_answering.ts";
import { writeRunning } from "../_server-file.ts";
import { processContext } from "../../src/cli/process-context.ts";
import type { RunningServerFile } from "../../src/cli/connection/server-file.ts";
import { cwd, HERE, run, service, useDirectory } from "../_cli-directory.ts";
import { type CliOptions } from "../_cli.ts";
import { NOBODY, SESSION } from "../_setup.ts";

useDirectory();

/** The service under test, as if it ran in this directory. */
async function runHere(): Promise<RunningServerFile> {
  const { acme, globex, addresses } = service;
  return writeRunning(cwd, {
    url: addresses.front,
    api_url: addresses.api,
    instances: [acme, globex].map(({ id, name, subdomain, publishable_key, secret_key }) => ({
      id,
      name,
      subdomain,
      url: `http://${subdomain}.localhost:7820`,
      publishable_key,
      secret_key,
    })),
  });
}

describe("svc api", () => {
  it("prints JSON byte for byte, and ends the line", async () => {
    const body = await (await service.as(service.acme, "/api/v1/users")).text();
    expect(await run(["api", "GET", "/api/v1/users"])).toMatchObject({ code: 0, stdout: `${body}\n`, stderr: "" });
    expect(await run(["api", "GET", "/api/v1/nonsense"])).toMatchObject({
      code: 3,
      stdout: '{"error":"Not found"}\n',
      stderr: "✗ 404: Not found\n",
    });
  });

  it.each([
    [200, "two\nlines", "two\nlines"],
    [200, "[1]\n", "[1]\n"],
    [200, "", ""],
    [404, "gone", "gone\n"],
    [404, "gone\n", "gone\n"],
    [404, "", ""],
  ])("prints the body of a %i answer %j as %j", async (status, body, printed) => {
    const { stdout } = await run(["api", "GET", "/api/v1/users"], { fetch: answering(status, body) });
    expect(stdout).toBe(printed);
  });

  it("encodes fields into the query and leaves the given part unchanged", async () => {
    const { requests } = await run(["api", "get", "/api/v1/users/search?limit=1", "-F", "query=name:a+b c&d"]);
    expect(requests[0]?.url).toBe("http://acme.localhost:7820/api/v1/users/search?limit=1&query=name%3Aa%2Bb%20c%26d");
    const written = await run(["api", "GET", "/api/v1/users/search?query=created_at>=2026-01-01T00:00:00%2B02:00"]);
    expect([written.code, written.requests[0]?.url.endsWith("%2B02:00")]).toEqual([0, true]);
  });

  it("builds a JSON body from fields, or sends one unchanged", async () => {
    const token = await service.tokenFor("google", "ada");
    const path = ["api", "POST", "/api/v1/tokens/verify"];
    await writeFile(join(cwd, "body.json"), JSON.stringify({ token }));
    for (const result of [
      await run([...path, "-F", `token=${token}`]),
      await run([...path, "--input", "body.json"]),
      await run([...path, "--input", "-"], { stdin: JSON.stringify({ token }) }),
    ])
      expect([result.code, JSON.parse(result.stdout)]).toMatchObject([0, { resource: "token" }]);
  });

  it("prints a redirect and does not follow it", async () => {
    const { code, stdout, requests } = await run(["api", "GET", "/sign-in?redirect_uri=http://localhost:3000/", "-i"]);
    expect([code, requests.length]).toEqual([0, 1]);
    expect(stdout).toMatch(/^HTTP 302\n(.*\n)*location: http:/);
  });

  it("sends the key to the API's paths only", async () => {
    const keyed = async (path: string): Promise<boolean> =>
      "x-service-secret-key" in (await run(["api", "GET", path])).requests[0]!.headers!;
    expect(await keyed("/api/v1/users")).toBe(true);
    expect(await keyed("/.well-known/openid-configuration")).toBe(false);
    expect(await keyed("/sign-in?redirect_uri=http://localhost:3000/")).toBe(false);
    expect(await keyed("/api/../sign-in")).toBe(false);
  });

  it("searches instances at the right address without the secret key", async () => {
    const { publishable_key } = service.acme;
    const env = { SVC_API_URL: service.addresses.api, SVC_PUBLISHABLE_KEY: publishable_key };
    const argv = ["api", "GET", "/api/v1/instances/search", "-F", `query=publishable_key:${publishable_key}`];
    const { code, requests } = await run(argv, { env });
    expect([code, new URL(requests[0]!.url).origin]).toEqual([0, "http://api.localhost:7820"]);
    expect(requests[0]?.headers).toMatchObject({
      accept: "application/json",
      "x-service-publishable-key": publishable_key,
    });
    const nowhere = await run(["api", "GET", "/api/v1/users"], { env: { ...env, SVC_BASE_URL: undefined } });
    expect([nowhere.code, nowhere.requests]).toEqual([2, []]);
  });

  it.each<[code: number, argv: string[], options: CliOptions]>([
    [7, ["GET", "/x"], { fetch: answering(500, "<html>") }],
    [2, ["GET", "/api/v1/users/search"], {}],
    [2, ["FETCH", "/api/v1/users"], {}],
    [2, ["GET", "/api/v1/users", "-F", "limit"], {}],
    [2, ["POST", "/api/v1/tokens/verify", "-F", "token=x", "--input", "-"], { stdin: "{}" }],
    [2, ["POST", "/api/v1/tokens/verify", "--input", "nothing.json"], {}],
    [3, ["GET", `/api/v1/users/${NOBODY}`], {}],
    [3, ["GET", "/nowhere"], {}],
    [4, ["GET", "/api/v1/users"], { env: { SVC_SECRET_KEY: undefined } }],
    [5, ["POST", "/api/v1/tokens/verify", "-F", "token=x.y.z"], {}],
    [7, ["GET", "/api/v1/users"], { fetch: () => Promise.reject(new Error("x", { cause: { code: "ECONNRESET" } })) }],
  ])("exits with %i for %j", async (code, argv, options) => {
    expect((await run(["api", ...argv], options)).code).toBe(code);
  });

  it("escapes control characters for a terminal", async () => {
    for (const body of ['{"name":"\\u001b[31m"}', "plain \u001b[31m\ntext"]) {
      const { stdout, stderr } = await run(["api", "GET", "/x"], { tty: true, fetch: answering(400, body) });
      expect(stdout + stderr).not.toContain("\u001b");
    }
  });
});

describe("svc instances", () => {
  it("lists the local server's instances without their secret keys", async () => {
    await runHere();
    const { code, stdout } = await run(["instances", "list"], { env: HERE });
    expect([code, stdout.split("\n").map((line) => line.split("\t")[0])]).toEqual([0, ["acme", "globex", ""]]);
    const json = await run(["instances", "list", "--json"], { env: HERE });
    expect(JSON.parse(json.stdout)).toMatchObject([
      { url: "http://acme.localhost:7820", program_url: "http://localhost:7820" },
      { url: "http://globex.localhost:7820", program_url: "http://localhost:7820" },
    ]);
    expect(stdout + json.stdout).not.toContain("sk_");
  });

  it("shows which of the local server's instances are active", async () => {
    const { instances, ...server } = await runHere();
    const newer = { ...server, started_at: "2026-06-01T12:00:01.000Z" };
    await writeRunning(cwd, { ...newer, instances: instances.map((one, i) => ({ ...one, active: i > 0 })) });
    const { stdout } = await run(["instances", "list"], { env: HERE, tty: true, columns: 80 });
    expect(stdout.split("\n").map((line) => line.split(/ +/).at(-1))).toEqual(["ACTIVE", "no", "yes", ""]);
    const json = await run(["instances", "list", "--json"], { env: HERE });
    expect(JSON.parse(json.stdout)).toMatchObject([{ active: false }, { active: true }]);
  });

  it("exits with 4 when no server runs, as every command that needs one does", async () => {
    for (const argv of [["instances", "list"], ["env"], ["logs"], ["dev", "clock"]]) {
      const { code, stderr } = await run(argv, { env: HERE });
      expect([argv, code, stderr]).toEqual([argv, 4, expect.stringMatching(/no server runs in this directory/i)]);
    }
  });

  it("says of what needs the control API whom to ask for it", async () => {
    const revoke = ["dev", "sessions", "revoke", SESSION];
    const elsewhere: [argv: string[], why: RegExp][] = [
      [revoke, /needs the control API/],
      [
        ["logs", "--base-url", "https://a.test"],
        /--base-url names https:\/\/a\.test, and no server of this machine is there/,
      ],
    ];
    for (const [argv, why] of elsewhere) {
      const { code, stderr } = await run(argv, { env: HERE });
      expect([argv, code !== 0, stderr]).toEqual([argv, true, expect.stringMatching(why)]);
      expect(stderr).toContain("For a service elsewhere, ask its operator to run this command");
    }
    const { stderr } = await run([...revoke, "--profile", "production"], { env: HERE });
    expect(stderr).toContain('Unknown profile "production"');
  });
});

describe("svc open", () => {
  it.each([
    [[], "http://localhost:7820/"],
    [["front"], "http://localhost:7820/"],
  ])("with %j opens %s, and with --print only prints it", async (argv, url) => {
    await runHere();
    const opened: string[] = [];
    const openBrowser = async (address: string): Promise<void> => void opened.push(address);
    expect(await run(["open", ...argv], { env: HERE, openBrowser })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: `Opened ${url}\n`,
    });
    expect(await run(["open", ...argv, "--print"], { env: HERE, openBrowser })).toMatchObject({
      code: 0,
      stdout: `${url}\n`,
      stderr: "",
    });
    expect((await run(["open", ...argv, "--print", "--json"], { env: HERE })).stdout).toBe(
      `${JSON.stringify({ url })}\n`,
    );
    expect(opened).toEqual([url]);
  });

  it("prints the address when no browser can be opened", async () => {
    const { code, stderr } = await run(["open"]);
    expect([code, stderr]).toEqual([
      1,
      "Could not open a browser. Open this address:\n  http://acme.localhost:7820/\n",
    ]);
  });

  it.each([
    ["true", "resolves"],
    ["false", "rejects"],
    ["/nowhere/browser", "rejects"],
  ] as const)("by SVC_BROWSER=%s %s", async (program, verb) => {
    vi.stubEnv("SVC_BROWSER", program);
    onTestFinished(() => void vi.unstubAllEnvs());
    const opened = processContext().openBrowser("http://localhost:7820/");
    await (verb === "resolves" ? expect(opened).resolves.toBeUndefined() : expect(opened).rejects.toThrow());
  });

  it("opens no other page", async () => {
    expect((await run(["open", "nowhere"])).code).toBe(2);
  });
});

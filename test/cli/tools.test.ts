// Below the faces: a browser that is a program of the machine.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { writeRunning } from "../_server-file.ts";
import { processContext } from "../../src/cli/process-context.ts";
import type { RunningServerFile } from "../../src/cli/connection/server-file.ts";
import { cwd, HERE, run, service, useDirectory } from "../_cli-directory.ts";

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
  it("encodes fields into the query and leaves the given part unchanged", async () => {
    const { requests } = await run(["api", "get", "/api/v1/users/search?limit=1", "-F", "query=name:a+b c&d"]);
    expect(requests[0]?.url).toBe("http://localhost:7820/api/v1/users/search?limit=1&query=name%3Aa%2Bb%20c%26d");
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
});

describe("svc instances", () => {
  it("shows which of the local server's instances are active", async () => {
    const { instances, ...server } = await runHere();
    const newer = { ...server, started_at: "2026-06-01T12:00:01.000Z" };
    await writeRunning(cwd, { ...newer, instances: instances.map((one, i) => ({ ...one, active: i > 0 })) });
    const { stdout } = await run(["instances", "list"], { env: HERE, tty: true, columns: 80 });
    expect(stdout.split("\n").map((line) => line.split(/ +/).at(-1))).toEqual(["ACTIVE", "no", "yes", ""]);
    const json = await run(["instances", "list", "--json"], { env: HERE });
    expect(JSON.parse(json.stdout)).toMatchObject([{ active: false }, { active: true }]);
  });
});

describe("svc open", () => {
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
});

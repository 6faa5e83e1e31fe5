import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { configDirectory, dataDirectory, placeOf } from "../../src/cli/places.ts";
import { contextOf, cwd, keyOf, useHome } from "../_cli-home.ts";
import { keyedClientOptions, runCli } from "../_cli.ts";
import { setup } from "../_setup.ts";

useHome();

const A = "https://a.svc.test";

describe("The secret key of the environment", () => {
  it("can come from a file", async () => {
    await writeFile(join(cwd, "key"), `${keyOf("file")}\n`);
    const options = async (env: Record<string, string>): Promise<string | readonly string[] | undefined> =>
      (await keyedClientOptions(contextOf({ env: { SVC_BASE_URL: A, ...env } }), {})).secretKey;
    expect(await options({ SVC_SECRET_KEY_FILE: "key" })).toBe(keyOf("file"));
    expect(await options({ SVC_SECRET_KEY: keyOf("env"), SVC_SECRET_KEY_FILE: "key" })).toBe(keyOf("env"));
  });
});

describe("The configuration directory", () => {
  it.each<[env: Record<string, string>, platform: string, directory: string | undefined]>([
    [{ SVC_CONFIG_DIR: "/c", XDG_CONFIG_HOME: "/x", HOME: "/h" }, "linux", "/c"],
    [{ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "linux", "/x/svc"],
    [{ XDG_CONFIG_HOME: "x", HOME: "/h" }, "linux", "/h/.config/svc"],
    [{ HOME: "/h" }, "linux", "/h/.config/svc"],
    [{ HOME: "/h" }, "darwin", "/h/.config/svc"],
    [{ APPDATA: "/a", HOME: "/h" }, "win32", "/a/svc"],
    [{ HOME: "" }, "linux", undefined],
    [{}, "linux", undefined],
  ])("with %j on %s is %s", (env, platform, directory) => {
    expect(configDirectory(env, platform)).toBe(directory);
  });

  it("is required when it cannot be found, and only by commands that use it", async () => {
    const env = { HOME: undefined, SVC_BASE_URL: A };
    const { code, stderr } = await runCli(["login", "--no-check"], { env, stdin: keyOf("x"), cwd });
    expect([code, stderr.includes("HOME is not set")]).toEqual([2, true]);
    for (const HOME of [undefined, "", "/dev/null", "/nonexistent"])
      expect((await runCli(["profiles", "list"], { env: { HOME }, cwd })).code).toBe(0);
    expect((await runCli(["whoami"], { env, cwd })).code).toBe(4);
  });
});

describe("The data directory", () => {
  it.each<[env: Record<string, string>, platform: string, directory: string | undefined]>([
    [{ SVC_DATA_DIR: "/d", XDG_DATA_HOME: "/x", HOME: "/h" }, "linux", "/d"],
    [{ XDG_DATA_HOME: "/x", HOME: "/h" }, "linux", "/x/svc"],
    [{ XDG_DATA_HOME: "x", HOME: "/h" }, "linux", "/h/.local/share/svc"],
    [{ HOME: "/h" }, "linux", "/h/.local/share/svc"],
    [{ HOME: "/h" }, "darwin", "/h/Library/Application Support/svc"],
    [{ LOCALAPPDATA: "/l", HOME: "/h" }, "win32", "/l/svc"],
    [{ HOME: "" }, "linux", undefined],
  ])("with %j on %s is %s", (env, platform, directory) => {
    expect(dataDirectory(env, platform)).toBe(directory);
  });

  it("has a place of its own for each directory, whatever its name", () => {
    const places = ["/home/ada/app", "/home/bo/app", "/", "/a b/ü$(x)\n"].map((name) => placeOf("/d", name));
    expect(places).toEqual([
      "/d/stores/app-9cc220a3",
      expect.stringMatching(/^\/d\/stores\/app-[0-9a-f]{8}$/),
      expect.stringMatching(/^\/d\/stores\/root-[0-9a-f]{8}$/),
      expect.stringMatching(/^\/d\/stores\/ü-x--[0-9a-f]{8}$/),
    ]);
    expect(new Set(places).size).toBe(places.length);
  });
});

describe("SVC_TIMEOUT", () => {
  it("is a duration, in seconds without a unit", async () => {
    const options = (SVC_TIMEOUT: string): Promise<object> =>
      keyedClientOptions(contextOf({ env: { SVC_BASE_URL: A, SVC_SECRET_KEY: "sk_x", SVC_TIMEOUT } }), {});
    expect(await options("0.5")).toMatchObject({ timeoutMs: 500 });
    expect(await options("1m30s")).toMatchObject({ timeoutMs: 90_000 });
    expect(await options("")).toMatchObject({ timeoutMs: 10_000 });
    for (const wrong of ["0", "-1", "ten", "1e3", "5x"])
      await expect(options(wrong)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(wrong) as string,
      });
  });
});

describe("Flags that stand for a variable", () => {
  it.each([[[]], [["--no-color"]]])("are heeded beside %j", async (more) => {
    const env = { SVC_BASE_URL: "http://acme.example.com", SVC_SECRET_KEY: "sk_x" };
    const fetch = (): Promise<never> => Promise.reject(Object.assign(new Error("x"), { code: "ECONNREFUSED" }));
    const argv = ["users", "list", "--insecure", "--retries", "0", ...more];
    const { code, requests } = await runCli(argv, { env, fetch });
    expect([code, requests.length]).toEqual([7, 1]);
  });
});

describe("SVC_RETRIES and SVC_LOG", () => {
  it("log each request on stderr without secrets, and only when asked to", async () => {
    const service = await setup();
    const key = { SVC_BASE_URL: service.addresses.front, SVC_SECRET_KEY: service.acme.secret_key };
    const loud = await runCli(["users", "list"], { service, env: { ...key, SVC_LOG: "debug" } });
    expect(loud.stderr).toMatch(/^svc: GET \/api\/v1\/users 200 \d+ ms\n$/);
    const token = await service.tokenFor("google", "ada");
    const verified = await runCli(["tokens", "verify", "-"], {
      service,
      stdin: token,
      env: { ...key, SVC_LOG: "debug" },
    });
    expect(verified.stderr).toContain("POST /api/v1/tokens/verify 200");
    for (const secret of [token, service.acme.secret_key]) expect(verified.stderr).not.toContain(secret);
    expect((await runCli(["users", "list"], { service, env: key })).stderr).toBe("");
    expect((await runCli(["users", "list"], { service, env: { ...key, SVC_LOG: "loud" } })).code).toBe(2);
  });
});

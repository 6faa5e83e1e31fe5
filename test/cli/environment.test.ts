// Below the faces: directories of other systems.
import { describe, expect, it } from "vitest";
import { configDirectory, dataDirectory, placeOf } from "../../src/cli/places.ts";
import { cwd, keyOf, useHome } from "../_cli-home.ts";
import { runCli } from "../_cli.ts";
import { setup } from "../_setup.ts";

useHome();

const A = "https://a.svc.test";

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

it("SVC_LOG logs each request on stderr without secrets", async () => {
  const service = await setup();
  const env = { SVC_BASE_URL: service.addresses.front, SVC_SECRET_KEY: service.acme.secret_key, SVC_LOG: "debug" };
  const token = await service.tokenFor("google", "ada");
  const { stderr } = await runCli(["tokens", "verify", "-"], { service, stdin: token, env });
  expect(stderr).toContain("POST /api/v1/tokens/verify 200");
  for (const secret of [token, service.acme.secret_key]) expect(stderr).not.toContain(secret);
});

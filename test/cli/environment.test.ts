// Below the faces: directories of other systems.
import { describe, expect, it } from "vitest";
import { configDirectory, dataDirectory, placeOf } from "../../src/cli/places.ts";

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

// Below the faces: what a start would take of a file is read, without the start.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveOptions, storeLocation } from "../../src/cli/commands/serve/options.ts";
import { parseConfig } from "../../src/server/config.ts";
import { credentialsFromEnv } from "../../src/server/index.ts";
import { createContext } from "../_cli.ts";
import { directory, useDirectory } from "../_config.ts";
import { placeIn } from "../_server-file.ts";

useDirectory();

describe("svc.config.json", () => {
  const CONNECTION = { client_id: "id", client_secret: "secret" };
  const FULL = {
    $schema: "./config.schema.json",
    port: 7000,
    host: "127.0.0.1",
    store: "data/db.json",
    seed: "seed.json",
    strict: true,
    public_url: "https://auth.example.test",
    allowed_hosts: ["svc.internal"],
    providers_mode: "simulated",
    providers: { github: { ...CONNECTION, endpoints: { token: "http://localhost:8080/token" } } },
    trust_proxy: ["10.0.0.0/8"],
    geoip: "city.mmdb",
    https: true,
    retention: { sessions: "90d" },
  };

  it("accepts every setting that has a flag", () => {
    expect(parseConfig(JSON.stringify(FULL), "svc.config.json")).toEqual({
      port: 7000,
      host: "127.0.0.1",
      store: "data/db.json",
      seed: "seed.json",
      strict: true,
      publicUrl: "https://auth.example.test",
      allowedHosts: ["svc.internal"],
      providers: "simulated",
      credentials: FULL.providers,
      trustProxy: ["10.0.0.0/8"],
      geoip: "city.mmdb",
      https: true,
      retention: { sessions: "90d" },
    });
  });

  it("may be empty", () => {
    const { credentials, ...rest } = parseConfig("{}", "svc.config.json");
    expect(credentials).toEqual({});
    expect(Object.values(rest).every((value) => value === undefined)).toBe(true);
  });

  it.each<[input: object | string, faults: string[]]>([
    [[], ["the file: "]],
    [{ prot: 1 }, ["prot: unknown key"]],
    [{ retention: { users: "1d" } }, ["retention.users: unknown key"]],
    ...["90", "59m", "never", "-1d"].map((sessions): [object, string[]] => [
      { retention: { sessions } },
      ["retention.sessions: must be a duration of an hour or more, such as 90d or 12w"],
    ]),
    [{ port: 65_536 }, ["port: "]],
    [{ port: "7820" }, ["port: "]],
    [{ public_url: "ftp://x.test" }, ["public_url: "]],
    [{ providers_mode: "fake" }, ["providers_mode: "]],
    [{ providers: { myspace: CONNECTION } }, ["providers"]],
    [
      { providers: { google: { client_id: "x" } } },
      ["providers.google: must have both client_id and client_secret, or neither"],
    ],
    [{ providers: { google: { ...CONNECTION, scope: "x" } } }, ["providers.google.scope: "]],
    [
      { providers: { google: { ...CONNECTION, endpoints: { authorise: "https://x.test" } } } },
      ["providers.google.endpoints"],
    ],
    [
      { providers: { github: { ...CONNECTION, endpoints: { token: "http://x.test" } } } },
      ["providers.github.endpoints"],
    ],
    [
      { port: -1, host: "", allowed_hosts: [1], trust_proxy: "x" },
      ["port: ", "host: ", "allowed_hosts[0]: ", "trust_proxy: "],
    ],
  ])("with %j is rejected, and each fault is listed with its path", (input, faults) => {
    const message = messageOf(() => parseConfig(JSON.stringify(input), "svc.config.json"));
    const [title, ...lines] = message.split("\n");
    expect(title).toBe("svc.config.json can't be used:");
    expect(lines).toEqual(faults.map((fault) => expect.stringContaining(`  ${fault}`) as string));
  });

  it("that is not JSON is rejected by name", () => {
    expect(messageOf(() => parseConfig("{port: 1}", "svc.config.json"))).toMatch(/^svc\.config\.json is not JSON: /);
  });

  it.each([
    ["a comma too many", '{\n  "port": 7000,\n}', 2, 15],
    ["an array's comma too many", '{\n  "trust_proxy": ["10.0.0.1", ]\n}', 2, 29],
    ["a value without quotes", '{\n  "host": localhost\n}', 2, 11],
    ["a comment", "{\n  // the port\n}", 2, 3],
    ["another language's literal", '{"https": nil}', 1, 12],
    ["an end too soon", '{\n  "port": 7000', 2, 15],
    ["nothing at all", "", 1, 1],
    ["no JSON at all", "port 7000", 1, 1],
    ["something after the end", '{"port": 7000}}', 1, 15],
    ["a line break in a text", '{"host": "a\nb"}', 1, 12],
  ])("with %s is rejected by line and column", (_, source, line, column) => {
    const message = messageOf(() => parseConfig(source, "svc.config.json"));
    expect(message).toMatch(
      new RegExp(`^svc\\.config\\.json is not JSON: [^(]+ \\(line ${line}, column ${column}\\)$`),
    );
    expect(message).not.toContain("position");
  });

  it("may contain secrets, which no error repeats", () => {
    const providers = { google: { client_id: "id", client_secret: ["hush-hush"] } };
    expect(messageOf(() => parseConfig(JSON.stringify({ providers }), "x"))).not.toContain("hush-hush");
  });

  it("is overridden by the environment, and the environment by flags", async () => {
    await writeFile(join(directory, "svc.config.json"), JSON.stringify({ ...FULL, seed: "/abs/seed.json" }));
    const options = async (env: Record<string, string>, flags = {}): Promise<unknown> => {
      const config = "svc.config.json";
      const context = createContext({ cwd: directory, env });
      const { port, host, store, seed } = await serveOptions(context, { config, ...flags });
      return { port, host, store, seed };
    };
    const env = { SVC_PORT: "7001", SVC_HOST: "::1", SVC_STORE: "memory" };
    const flags = { port: "7002", host: "localhost", store: "flag.json", seed: "flag-seed.json" };
    expect([await options({}), await options(env), await options(env, flags)]).toEqual([
      { port: 7000, host: "127.0.0.1", store: join(directory, "data/db.json"), seed: "/abs/seed.json" },
      { port: 7001, host: "::1", store: "memory", seed: "/abs/seed.json" },
      { port: 7002, host: "localhost", store: join(directory, "flag.json"), seed: join(directory, "flag-seed.json") },
    ]);
  });

  it("resolves paths relative to its own directory", async () => {
    await mkdir(join(directory, "etc"));
    await writeFile(join(directory, "etc/my.json"), JSON.stringify(FULL));
    const { store, seed, geoip } = await serveOptions(createContext({ cwd: directory }), { config: "etc/my.json" });
    expect([store, seed, geoip]).toEqual(
      ["data/db.json", "seed.json", "city.mmdb"].map((path) => join(directory, "etc", path)),
    );
  });

  it("is required only if it was named", async () => {
    const context = createContext({ cwd: directory });
    expect((await serveOptions(context, {})).store).toBeUndefined();
    expect(await storeLocation(context, {})).toBe(join(placeIn(directory), "db.json"));
    await expect(serveOptions(createContext({ cwd: directory }), { config: "no.json" })).rejects.toMatchObject({
      exitCode: 2,
      message: `--config: ${join(directory, "no.json")} cannot be read: no such file or directory (ENOENT).`,
    });
  });

  it("is not overridden by empty variables", async () => {
    await writeFile(join(directory, "svc.config.json"), JSON.stringify(FULL));
    const env = { SVC_PORT: "", SVC_HOST: "", SVC_STORE: "" };
    expect(await serveOptions(createContext({ cwd: directory, env }), { config: "svc.config.json" })).toMatchObject({
      port: 7000,
      host: "127.0.0.1",
      store: join(directory, "data/db.json"),
    });
  });
});

describe("Provider credentials", () => {
  it("come from the environment in pairs", () => {
    expect(
      credentialsFromEnv({
        SVC_GOOGLE_CLIENT_ID: "g",
        SVC_GOOGLE_CLIENT_SECRET: "gs",
        SVC_TWITTER_CLIENT_ID: "t",
        SVC_TWITTER_CLIENT_SECRET: "ts",
        SVC_GITHUB_CLIENT_ID: "",
        SVC_GITHUB_CLIENT_SECRET: "",
      }),
    ).toEqual({
      google: { client_id: "g", client_secret: "gs" },
      twitter: { client_id: "t", client_secret: "ts" },
    });
    expect(credentialsFromEnv({})).toEqual({});
  });

  it.each([
    [
      { SVC_GITHUB_CLIENT_ID: "x" },
      "SVC_GITHUB_CLIENT_SECRET is not set, and SVC_GITHUB_CLIENT_ID is. Set both, or none.",
    ],
    [
      { SVC_GITHUB_CLIENT_SECRET: "x" },
      "SVC_GITHUB_CLIENT_ID is not set, and SVC_GITHUB_CLIENT_SECRET is. Set both, or none.",
    ],
    [
      { SVC_GOOGLE_CLIENT_ID: "x", SVC_GOOGLE_CLIENT_SECRET: "" },
      "SVC_GOOGLE_CLIENT_SECRET is not set, and SVC_GOOGLE_CLIENT_ID is. Set both, or none.",
    ],
  ])("with only %j are incomplete", (env, message) => {
    expect(messageOf(() => credentialsFromEnv(env))).toBe(message);
  });
});

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

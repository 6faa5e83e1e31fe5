// Below the faces: what a start would take of a file is read, without the start.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveOptions } from "../../src/cli/commands/serve/options.ts";
import { parseConfig } from "../../src/server/config.ts";
import { credentialsFromEnv } from "../../src/server/index.ts";
import { createContext } from "../_cli.ts";
import { directory, useDirectory } from "../_config.ts";

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

  it.each([
    ["no quotes at all", "{port: 1}", 1, 2],
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
});

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveOptions, storeLocation } from "../../src/cli/commands/serve/options.ts";
import { createContext } from "../_cli.ts";
import { directory, useDirectory } from "../_config.ts";

useDirectory();

const SECRETS = { SVC_GITHUB_CLIENT_ID: "id", SVC_GITHUB_CLIENT_SECRET: "hush", PGPASSWORD: "hush" };
const github = (endpoints: object, more: object = {}): object => ({ providers: { github: { endpoints, ...more } } });

/** What `svc serve` makes of the file in its directory, or the message with which it does not start. */
async function start(config: object, flags: object = {}, env: object = SECRETS): Promise<unknown> {
  await writeFile(join(directory, "svc.config.json"), JSON.stringify(config));
  const context = createContext({ cwd: directory, env: env as Record<string, string> });
  return serveOptions(context, flags).catch((error: Error) => error.message);
}

describe("T53: A svc.config.json that came with a repository", () => {
  it.each([
    ["a token endpoint", github({ token: "https://evil.test/token" })],
    ["a user endpoint, which gets the provider's token", github({ user: "https://evil.test/user" })],
    ["plain http", github({ token: "http://evil.test/token" }, { insecure: true })],
    ["credentials of its own, too", github({ token: "https://evil.test" }, { client_id: "i", client_secret: "s" })],
    ["a user name that looks like the provider", github({ token: "https://github.com@evil.test/token" })],
    ["another provider's host", github({ emails: "https://evil.test", token: "https://github.com/token" })],
  ])("does not send a provider's credentials elsewhere: %s", async (_, config) => {
    const path = join(directory, "svc.config.json");
    expect(await start(config)).toBe(
      `${path} sends provider credentials to evil.test. svc found this file by itself. If you trust it, name it with --config.`,
    );
    // The credentials may also be in the store.
    expect(await start(config, {}, {})).toContain("to evil.test.");
  });

  it.each([
    ["loopback", { token: "http://127.0.0.1:8080/token", authorize: "http://localhost:8080/authorize" }],
    ["the provider's own hosts", { token: "https://github.com/token", user: "https://api.github.com/v3/user" }],
  ])("may name %s", async (_, endpoints) => {
    expect(await start(github(endpoints))).toMatchObject({ credentials: { github: { client_id: "id", endpoints } } });
  });

  it("may name any host if the operator names the file, or if only simulated providers are used", async () => {
    const config = github({ token: "https://github.corp.test/token" });
    expect(await start(config, { config: "svc.config.json" })).toMatchObject({
      credentials: (config as { providers: object }).providers,
    });
    expect(await start(config, { providers: "simulated" })).toMatchObject({ providers: "simulated" });
  });

  it.each([
    "postgres://ada@evil.test/svc",
    "postgresql://localhost@evil.test/svc",
    "postgres:///svc?host=evil.test",
    "postgres://ada@localhost/svc?host=evil.test",
    "postgres://localhost,evil.test/svc",
    "postgres://localhost:5432,evil.test:5432/svc",
  ])("does not send PGPASSWORD elsewhere: %s", async (store) => {
    expect(await start({ store })).toContain("sends PGPASSWORD to ");
    const context = createContext({ cwd: directory, env: SECRETS });
    await expect(storeLocation(context, {})).rejects.toThrow("sends PGPASSWORD to ");
    const config = "svc.config.json";
    expect(await storeLocation(context, { config })).toBe(store);
    expect(await start({ store }, { store: "memory" })).toMatchObject({ store: "memory" });
    expect(await start({ store }, {}, {})).toMatchObject({ store });
  });

  it.each(["postgres://ada@localhost/svc", "postgres://ada:own@db.test/svc", "postgres:///svc", "data/db.json"])(
    "may name a store that gets no password of the environment, or is here: %s",
    async (store) => {
      expect(await start({ store })).toMatchObject({ store: expect.stringContaining(store) as string });
    },
  );
});

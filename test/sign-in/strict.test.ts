import { describe, expect, it } from "vitest";
import { BROWSER } from "../_attacks.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, SEED, setup } from "../_setup.ts";
import { listening } from "../_sockets.ts";

const PROGRAM = { "user-agent": "node" };

const UNLISTED = "https://app.acme.test/callback";

const withEntries = (...redirect_uris: string[]): object => ({
  ...SEED,
  instances: [{ ...SEED.instances[0], redirect_uris }],
});

describe.each([
  ["browser", BROWSER],
  ["program", PROGRAM],
])("A strict server sends a %s", (_, headers) => {
  const isSent = async (redirect_uri: string, ...entries: string[]): Promise<boolean> => {
    const { fetch } = await setup({ strict: true, seed: withEntries(...entries) });
    const query = new URLSearchParams({ redirect_uri }).toString();
    return (await fetch(`/sign-in?${query}`, { headers })).status === 302;
  };

  it.each([APP, "http://127.0.0.1:3000/callback", "http://[::1]/", UNLISTED])(
    "not to %s if nothing is registered, or anything",
    async (uri) => {
      expect([await isSent(uri), await isSent(uri, "*")]).toEqual([false, false]);
    },
  );

  it("to loopback only if it is registered, and to what else is", async () => {
    expect([await isSent(APP, UNLISTED), await isSent(APP, APP)]).toEqual([false, true]);
    expect([await isSent(UNLISTED, APP), await isSent(UNLISTED, UNLISTED)]).toEqual([false, true]);
  });
});

it("A strict server refuses a browser and a program on its own machine, and says what to register", async () => {
  const service = await setup({ strict: true });
  for (const headers of [BROWSER, PROGRAM])
    for (const uri of [APP, UNLISTED]) {
      const path = `/sign-in?${new URLSearchParams({ redirect_uri: uri }).toString()}`;
      const response = await service.fetch(path, { headers: { ...headers, accept: "application/json" } });
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          error: `Invalid redirect_uri: Acme has no redirect_uris. With --strict, or where others can reach the server, users are sent to registered addresses only. Add "${uri}" to its redirect_uris`,
        },
      ]);
    }
  expect(service.log.unlisted).toEqual([]);
});

it("A strict server's start page offers no sign-in that it would refuse", async () => {
  const page = async (strict: boolean): Promise<string> => (await (await setup({ strict })).fetch("/")).text();
  expect(await page(true)).not.toContain('data-testid="try-acme-google"');
  expect(await page(true)).toContain("It refuses every sign-in, because it has no redirect_uris. List its addresses.");
  expect(await page(false)).toContain('data-testid="try-acme-google"');
});

it("A strict server signs in with a registered address, and simulates providers as before", async () => {
  const service = await setup({
    strict: true,
    seed: withEntries(APP),
  });
  expect((await service.signIn("google", "ada")).searchParams.get("token")).not.toBeNull();
});

it.each([
  [[], "Acme refuses every sign-in: it has no redirect_uris. List its addresses."],
  [
    ["*"],
    'Acme refuses every sign-in: its redirect_uris are "*", which is allowed only without --strict, and on a server that no other machine can reach. List its addresses.',
  ],
  [[APP], undefined],
])("A strict server with the redirect_uris %j warns at its start: %s", async (entries, warning) => {
  const warnings: string[] = [];
  await listening({ strict: true, seed: seedFile(withEntries(...entries)), warn: (message) => warnings.push(message) });
  expect(warnings).toEqual(warning === undefined ? [] : [warning]);
});

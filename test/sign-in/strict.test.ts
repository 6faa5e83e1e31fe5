// Below the faces: what a start would warn of, for each row of a table.

import { describe, expect, it } from "vitest";
import { redirectRule, redirectWarnings } from "../../src/server/sign-in/redirect-rule.ts";
import type { InstanceRecord } from "../../src/server/store/records.ts";
import { BROWSER } from "../_attacks.ts";
import { APP, SEED, setup } from "../_setup.ts";

const PROGRAM = { "user-agent": "node" };

const UNLISTED = "https://app.acme.test/callback";

const acme = (redirect_uris: string[]): InstanceRecord =>
  ({ name: "Acme", redirect_uris, preview: false }) as unknown as InstanceRecord;
const isSent = (uri: string, redirect_uris: string[], isPlainClient: boolean): boolean => {
  try {
    redirectRule(uri, acme(redirect_uris), { isPlainClient }, false);
    return true;
  } catch {
    return false;
  }
};

describe.each([
  ["browser", false],
  ["program", true],
])("A strict server sends a %s", (_, isPlainClient) => {
  it.each([APP, "http://127.0.0.1:3000/callback", "http://[::1]/", UNLISTED])(
    "not to %s if nothing is registered, or anything",
    (uri) => {
      expect(isSent(uri, [], isPlainClient)).toBe(false);
      expect(isSent(uri, ["*"], isPlainClient)).toBe(false);
    },
  );

  it("to loopback only if it is registered, and to what else is", () => {
    expect(isSent(APP, [UNLISTED], isPlainClient)).toBe(false);
    expect(isSent(APP, [APP], isPlainClient)).toBe(true);
    expect(isSent(UNLISTED, [APP], isPlainClient)).toBe(false);
    expect(isSent(UNLISTED, [UNLISTED], isPlainClient)).toBe(true);
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
    seed: { ...SEED, instances: [{ ...SEED.instances[0], redirect_uris: [APP] }] },
  });
  expect((await service.signIn("google", "ada")).searchParams.get("token")).not.toBeNull();
});

it("A strict server warns of instances that it can send nobody back to", () => {
  expect(redirectWarnings([acme([]), acme([APP])], false)).toEqual([
    "Acme refuses every sign-in: it has no redirect_uris. List its addresses.",
  ]);
  expect(redirectWarnings([acme(["*"])], false)).toEqual([
    'Acme refuses every sign-in: its redirect_uris are "*", which is allowed only without --strict, and on a server that no other machine can reach. List its addresses.',
  ]);
});

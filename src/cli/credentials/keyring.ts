import type { Keyring } from "../context.ts";

const SERVICE = "svc-identity";

/**
 * The system's own place for secrets. The package is optional, and so is what it needs of the system.
 * @throws if there is none, at once or when it is used
 */
export async function openKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import("@napi-rs/keyring");
  // Linux has a second kind of store that forgets everything when the machine restarts.
  const entry = (account: string): InstanceType<typeof AsyncEntry> =>
    new AsyncEntry(SERVICE, account, { linux: { store: "secret-service" } });
  return {
    get: async (account) => (await entry(account).getPassword()) ?? undefined,
    set: (account, secret) => entry(account).setPassword(secret),
    delete: (account) => entry(account).deletePassword(),
  };
}

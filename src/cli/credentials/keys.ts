import type { Context, Keyring } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import type { StoredKey } from "./profiles.ts";

/**
 * Keeps a profile's key for one origin. The origin is part of the name in the keyring: a profile that is changed to
 * point elsewhere finds no key there.
 * @param inFile in the profile's file, which its owner alone can read; otherwise in the keyring
 */
export async function storeKey(
  context: Context,
  profile: string,
  origin: string,
  key: string,
  inFile: boolean,
): Promise<StoredKey> {
  if (inFile) return { store: "file", origin, value: key };
  await withKeyring(context, (keyring) => keyring.set(accountOf(profile, origin), key));
  return { store: "keyring", origin };
}

export async function readStoredKey(context: Context, profile: string, stored: StoredKey): Promise<string> {
  if (stored.store === "file") return stored.value!;
  const key = await withKeyring(context, (keyring) => keyring.get(accountOf(profile, stored.origin)));
  if (key === undefined)
    throw new CliError(
      EXIT.noKey,
      `The keyring has no key for profile "${profile}" for ${stored.origin}.`,
      `Log in again: svc login --profile ${profile}`,
    );
  return key;
}

/** Does nothing for a key in a file, which goes with its file. */
export async function forgetKey(context: Context, profile: string, stored: StoredKey): Promise<void> {
  if (stored.store === "keyring")
    await withKeyring(context, (keyring) => keyring.delete(accountOf(profile, stored.origin)));
}

async function withKeyring<Result>(context: Context, use: (keyring: Keyring) => Promise<Result>): Promise<Result> {
  if (context.env["SVC_KEYRING"] === "off")
    throw new CliError(EXIT.failed, "The keyring is turned off by SVC_KEYRING.", "Unset it, or set it to auto.");
  try {
    return await use(await context.openKeyring());
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new CliError(
      EXIT.failed,
      `No keyring is available (${reason}).`,
      "Set SVC_SECRET_KEY, or store the key in a file that only you can read: svc login --insecure-storage",
    );
  }
}

function accountOf(profile: string, origin: string): string {
  return `${profile} ${origin}`;
}

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

import { type Sourced, isTyped, originOf } from "../choices.ts";
import { checkAddress, checkKey } from "../../client/options.ts";
import { isConfidential } from "../../http/address.ts";
import { trimSlash } from "../../http/request.ts";
import { SECRET_KEY_PREFIX } from "../../wire/ids.ts";
import { runs, type Flags, type Program } from "../command.ts";
import { requirePrivacy, verifyKeyWithService } from "../connection/client.ts";
import { instanceInWords, shadowOf } from "../connection/target.ts";
import { waitFor } from "../connection/exchange.ts";
import type { Context, Surroundings } from "../context.ts";
import { forgetKey, storeKey } from "../credentials/keys.ts";
import { checkProfileName, readProfile, writeCurrent, writeProfile, type Profile } from "../credentials/profiles.ts";
import { UsageError, CliError, EXIT } from "../errors.ts";
import { readStdin } from "../files.ts";
import { isInteractive, requirePrompt } from "../output/prompts.ts";
import { printJson, say } from "../output/text.ts";
import { requireConfigDirectory } from "../places.ts";

export interface LoginOptions extends Flags<never, "insecureStorage"> {
  readonly check: boolean;
}

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("login")
    .option("--insecure-storage", "store the key in a file that only you can read, not in the keyring")
    .option("--no-check", "do not check the key with the service");
  runs(command, context, { on: "profile" }, runLogin, {
    examples: [
      ["svc login --base-url https://acme.example.com", "prompts for the key without echo"],
      ["svc login --profile staging < key.txt", "from standard input"],
    ],
    notes:
      "The key is stored in the system's keyring for this one address, and never sent to another. Before that, svc checks\n" +
      "the key by searching for a user that does not exist. The profile becomes the current one.",
  });
}

export async function runLogin(context: Context, options: LoginOptions): Promise<void> {
  // Before anything is asked.
  requireConfigDirectory(context);
  const named = context.choices.profile?.value;
  const known = named === undefined ? undefined : await readProfile(context, named);
  const address = await findAddress(context, known);
  const base_url = address.value;
  const { origin } = new URL(base_url);
  const name = checkProfileName(named ?? nameFor(base_url));
  const existing = known ?? (await readProfile(context, name));
  if (existing && originOf(existing.base_url) !== origin)
    throw new UsageError(
      `The profile "${name}" is for ${originOf(existing.base_url)}, not for ${origin}.`,
      `Choose another name with --profile, or delete that one: svc logout --forget --profile ${name}`,
    );

  await waitFor(context, base_url);
  const key = await readGoodKey(context, origin, async (secretKey) => {
    if (options.check) await verifyKeyWithService(context, { base_url: address }, secretKey);
  });
  const stored = await storeKey(context, name, origin, key, await isForFile(context, options));
  const isUnencrypted = !isConfidential(new URL(origin));
  const secret_key = { ...stored, ...(isUnencrypted && { insecure: true }) };
  // The previous one, if it is in the other place.
  if (existing?.secret_key && existing.secret_key.store !== secret_key.store)
    await forgetKey(context, name, existing.secret_key);
  await writeProfile(context, name, { base_url, secret_key });
  await writeCurrent(context, name);

  if (options.json)
    return printJson(context, {
      profile: name,
      base_url,
      instance: context.network.instance ?? null,
      store: secret_key.store,
    });
  const place = secret_key.store === "keyring" ? "the keyring" : "a file that only you can read, unencrypted";
  const instance = options.check ? `, ${instanceInWords(context.network.instance)}` : "";
  context.stdout.write(`Logged in to ${base_url}${instance}. The key is in ${place}.\n`);
  context.stderr.write(`"${name}" is now the current profile.\n`);
  if (isUnencrypted)
    say(context, `Commands with this profile send the key over plain http to ${origin}, as this one did.`);
  const shadow = await shadowOf(context, name);
  if (shadow !== undefined) say(context, shadow);
}

/** Asks again after a wrong key: the next paste would go to the shell, and stay in its history. */
async function readGoodKey(context: Context, origin: string, check: (key: string) => Promise<void>): Promise<string> {
  for (let left = ATTEMPTS; ; left--) {
    const key = await readKey(context, origin);
    try {
      await check(key);
      return key;
    } catch (error) {
      const isRefused = error instanceof CliError && error.exitCode === EXIT.noKey;
      if (!isRefused || left === 1 || !isInteractive(context)) throw error;
      context.stderr.write(`${error.message} Try again, or press Ctrl-C.\n`);
    }
  }
}
const ATTEMPTS = 3;

async function findAddress(context: Context, known: Profile | undefined): Promise<Sourced> {
  const { profile, base_url } = context.choices;
  const stored = known && { value: known.base_url, source: `profile ${profile!.value}` };
  const { value, source } = (isTyped(base_url) ? base_url : (stored ?? base_url)) ?? (await askAddress(context));
  checkAddress(source, value);
  requirePrivacy(context.env, { value, source }, "secret key");
  return { value: trimSlash(value), source };
}

async function askAddress(context: Context): Promise<Sourced> {
  if (!isInteractive(context)) throw new UsageError("No service to log in to.", "Name it with --base-url.");
  return { value: (await context.ask("Address of your instance:")).trim(), source: "The address" };
}

/** `https://acme.example.com` is `acme`; an address without names is `default`. */
function nameFor(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const [first = ""] = hostname.split(".");
  return /^[a-z]/.test(first) && hostname !== "localhost" ? first : "default";
}

async function readKey(context: Context, origin: string): Promise<string> {
  if (context.stdin.isTTY) requirePrompt(context, "Pipe the key in: svc login < key.txt");
  const text = context.stdin.isTTY
    ? await context.askSecret(`Secret key for ${origin} (hidden):`)
    : await readStdin(context);
  const key = text.trim();
  if (key === "") throw new UsageError("The key is empty.", "Nothing was changed.");
  checkKey("The key", key, SECRET_KEY_PREFIX);
  return key;
}

/** Never without a word: a file is not what a keyring is. */
async function isForFile(context: Context, { insecureStorage }: LoginOptions): Promise<boolean> {
  if (insecureStorage || context.env["SVC_KEYRING"] === "off") return true;
  const isThere = await context
    .openKeyring()
    .then((keyring) => keyring.get("probe"))
    .then(() => true)
    .catch(() => false);
  if (isThere || !isInteractive(context)) return false;
  return context.confirm("No keyring is available. Store the key unencrypted, in a file that only you can read?");
}

import { PUBLISHABLE_KEY_PREFIX, SECRET_KEY_PREFIX } from "../../wire/names.ts";
import { optionsOf, type GlobalFlags } from "../connection/client-options.ts";
import { isInteractive, readStdin, type Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { withHelp } from "../help/with-help.ts";
import { printJson } from "../output/text.ts";
import {
  checkProfileName,
  readProfile,
  requireConfigDirectory,
  writeCurrent,
  writeProfile,
  type Profile,
} from "../credentials/profiles.ts";
import type { Program } from "../program.ts";
import { forgetKey, storeKey } from "../credentials/stored-key.ts";
import { isPrivateWay, originOf } from "../connection/target.ts";
import { checkKey, openWith } from "../connection/client.ts";

interface LoginFlags {
  readonly publishableKey?: string;
  readonly insecureStorage?: boolean;
  readonly check: boolean;
}

export function addLogin(program: Program, context: Context): void {
  const login = program
    .command("login")
    .option("--publishable-key <key>", "find the instance with this pk_ key, at --api-url")
    .option("--insecure-storage", "keep the key in a file that you alone can read, not in the keyring")
    .option("--no-check", "do not ask the service whether it accepts the key")
    .action((own: LoginFlags) => runLogin(context, program.opts<GlobalFlags>(), own));
  withHelp(login, {
    examples: [
      ["svc login --base-url https://acme.example.com", "asks for the key, unseen"],
      ["svc login --profile staging < key.txt", "from standard input"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.noKey, EXIT.unreachable, EXIT.interrupted],
    notes:
      "The key goes into the system's keyring, for this one address: it is never sent to another. Before, the service\n" +
      "is asked for a user that does not exist, which reads nothing. The profile becomes the current one.",
  });
}

async function runLogin(context: Context, flags: GlobalFlags, own: LoginFlags): Promise<void> {
  // Before anything is asked.
  requireConfigDirectory(context);
  const named = flags.profile ?? (context.env["SVC_PROFILE"] || undefined);
  const known = named === undefined ? undefined : await readProfile(context, named);
  const address = await findAddress(context, flags, own, known);
  const origin = originOf(address.base_url)!;
  const name = checkProfileName(named ?? nameFor(address.base_url));
  const existing = known ?? (await readProfile(context, name));
  if (existing && originOf(existing.base_url) !== origin)
    throw new CliError(
      EXIT.usage,
      `The profile "${name}" is for ${originOf(existing.base_url)}, not for ${origin}.`,
      `Choose another name with --profile, or remove that one: svc profiles remove ${name}`,
    );

  const key = await readGoodKey(context, origin, async (secretKey) => {
    if (own.check) await checkKey(context, { ...address, secretKey });
  });
  const secret_key = await storeKey(context, name, origin, key, await isForFile(context, own));
  // The one before it, where that is in the other place.
  if (existing?.secret_key && existing.secret_key.store !== secret_key.store)
    await forgetKey(context, name, existing.secret_key);
  await writeProfile(context, name, { ...existing, ...address, secret_key });
  await writeCurrent(context, name);

  if (flags.json) return printJson(context, { profile: name, base_url: address.base_url, store: secret_key.store });
  const place = secret_key.store === "keyring" ? "the keyring" : "a file that you alone can read, unencrypted";
  context.stdout.write(`Logged in to ${address.base_url}. The key is in ${place}.\n`);
  context.stderr.write(`"${name}" is the current profile now.\n`);
  const shadows = ["SVC_SECRET_KEY", "SVC_SECRET_KEY_FILE", "SVC_SECRET_KEY_COMMAND", "SVC_BASE_URL"];
  for (const variable of shadows.filter((one) => context.env[one]))
    context.stderr.write(`${variable} is set, and goes before it: unset it, or say --profile ${name}.\n`);
}

/** Whoever pasted a wrong one is asked again: the next paste would go to the shell, and stay in its history. */
async function readGoodKey(context: Context, origin: string, check: (key: string) => Promise<void>): Promise<string> {
  for (let left = ATTEMPTS; ; left--) {
    const key = await readKey(context, origin);
    try {
      await check(key);
      return key;
    } catch (error) {
      const isRefused = error instanceof CliError && error.exitCode === EXIT.noKey;
      if (!isRefused || left === 1 || !isInteractive(context)) throw error;
      context.stderr.write(`${error.message} Once more, or Ctrl-C.\n`);
    }
  }
}
const ATTEMPTS = 3;

async function findAddress(
  context: Context,
  flags: GlobalFlags,
  { publishableKey = context.env["SVC_PUBLISHABLE_KEY"] || undefined }: LoginFlags,
  known: Profile | undefined,
): Promise<Pick<Profile, "base_url" | "api_url" | "publishable_key">> {
  const apiUrl = flags.apiUrl ?? known?.api_url ?? (context.env["SVC_API_URL"] || undefined);
  const shared = {
    ...(apiUrl !== undefined && { api_url: apiUrl }),
    ...(publishableKey !== undefined && { publishable_key: publishableKey }),
  };
  const given = flags.baseUrl ?? known?.base_url ?? (context.env["SVC_BASE_URL"] || undefined);
  if (given !== undefined) return { base_url: checkAddress(given), ...shared };
  if (publishableKey !== undefined && apiUrl !== undefined) {
    const target = { api_url: { value: apiUrl, source: "--api-url" } };
    const { url } = (await (await openWith(optionsOf(context, target))).instances.resolve(publishableKey)).data;
    if (url === null)
      throw new CliError(EXIT.failed, `The instance of ${publishableKey} is not active yet, and has no address.`);
    return { base_url: checkAddress(url), ...shared };
  }
  if (!isInteractive(context))
    throw new CliError(
      EXIT.usage,
      "Log in to which service?",
      "Name it with --base-url, or with --publishable-key and --api-url.",
    );
  return { base_url: checkAddress((await context.ask("Address of your instance:")).trim()), ...shared };
}

function checkAddress(text: string): string {
  const { baseUrl } = optionsOf({ env: {} } as Context, { base_url: { value: text, source: "--base-url" } });
  if (!isPrivateWay(baseUrl!))
    throw new CliError(
      EXIT.usage,
      `A key sent to ${text} could be read on the way.`,
      "Use https. Plain http is for this machine alone.",
    );
  return baseUrl!.replace(/\/+$/, "");
}

/** `https://acme.example.com` is `acme`; an address without names is `default`. */
function nameFor(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const [first = ""] = hostname.split(".");
  return /^[a-z]/.test(first) && hostname !== "localhost" ? first : "default";
}

async function readKey(context: Context, origin: string): Promise<string> {
  if (context.stdin.isTTY && !isInteractive(context))
    throw new CliError(EXIT.usage, "Nobody is here to type the key.", "Pipe it in: svc login < key.txt");
  const text = context.stdin.isTTY
    ? await context.askSecret(`Secret key for ${origin} (hidden):`)
    : await readStdin(context);
  const key = text.trim();
  if (key === "") throw new CliError(EXIT.usage, "There was no key.", "Nothing was changed.");
  if (key.startsWith(PUBLISHABLE_KEY_PREFIX))
    throw new CliError(EXIT.usage, "That is a publishable key.", "A secret key begins with sk_.");
  if (!key.startsWith(SECRET_KEY_PREFIX) || !/^[\x21-\x7e]+$/.test(key))
    throw new CliError(EXIT.usage, "That is no secret key: one begins with sk_, and has no spaces.");
  return key;
}

/** Never without a word: a file is not what a keyring is. */
async function isForFile(context: Context, { insecureStorage }: LoginFlags): Promise<boolean> {
  if (insecureStorage || context.env["SVC_KEYRING"] === "off") return true;
  const isThere = await context
    .openKeyring()
    .then((keyring) => keyring.get("probe"))
    .then(() => true)
    .catch(() => false);
  if (isThere || !isInteractive(context)) return false;
  return context.confirm("There is no keyring here. Keep the key in a file that you alone can read, unencrypted?");
}

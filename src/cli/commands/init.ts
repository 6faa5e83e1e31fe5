import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { systemReason } from "../../disk/system-reason.ts";
import { createDirectories } from "../../disk/write-atomically.ts";
import { isLoopbackUrl } from "../../wire/http/address.ts";
import { PROVIDERS } from "../../wire/providers.ts";
import { CONFIG_FILE, DEFAULT_PORT } from "../../wire/serve.ts";
import { runs, type Flags, type Program } from "../command.ts";
import type { Context } from "../context.ts";
import { UsageError, CliError, EXIT } from "../errors.ts";
import { requirePrompt } from "../output/prompts.ts";
import { quoted, printJson, say } from "../output/text.ts";

export interface InitOptions extends Flags<"port" | "name" | "redirectUri", "seed" | "yes"> {
  readonly dir: string;
}

const SEED_FILE = "seed.json";

export function add(program: Program, context: Context): void {
  const command = program
    .command("init")
    .option("--dir <directory>", "the directory to write to", ".")
    .option("--port <number>", `the port of the server; default ${DEFAULT_PORT}`)
    .option("--name <name>", "the name of your application, for which the seed gets an instance")
    .option("--redirect-uri <url>", "its redirect URI, such as http://localhost:3000/callback")
    .option("--no-seed", "start with the demo, without your own seed")
    .option("-y, --yes", "do not prompt; use defaults");
  runs(command, context, runInit, {
    examples: [
      ["svc init", "asks a few questions"],
      ["svc init --yes", "without questions: the demo"],
      ["svc init --yes --name Acme", "with a seed for Acme"],
    ],
    exits: [EXIT.done, EXIT.failed, EXIT.usage, EXIT.precondition, EXIT.interrupted],
    notes:
      "Existing files are never overwritten. Beside a configuration, --name writes the seed alone. No secrets are " +
      "written: svc serve creates the keys.",
  });
}

export async function runInit(context: Context, flags: InitOptions): Promise<void> {
  const directory = resolve(context.cwd, flags.dir);
  if (flags.seed === false && (flags.name ?? flags.redirectUri) !== undefined)
    throw new UsageError(
      `--no-seed and ${flags.name === undefined ? "--redirect-uri" : "--name"} are mutually exclusive.`,
      "Omit --no-seed to get a seed for your application.",
    );
  // Before any question is asked.
  const isSeedAsked = flags.port === undefined && (flags.name ?? flags.redirectUri) !== undefined;
  const addsSeed = isSeedAsked && existsSync(join(directory, CONFIG_FILE));
  for (const file of [...(addsSeed ? [] : [CONFIG_FILE]), ...(flags.seed === false ? [] : [SEED_FILE])]) {
    const path = join(directory, file);
    if (existsSync(path)) throw alreadyThere(path, context.cwd);
  }
  if (!flags.yes) requirePrompt(context, "Use --yes.");
  const { port, name, redirectUri } = await askAll(
    context,
    addsSeed ? { ...flags, port: String(DEFAULT_PORT) } : flags,
  );
  const files: [string, object][] = [];
  if (!addsSeed) files.push([CONFIG_FILE, { port, ...(name !== undefined && { seed: SEED_FILE }) }]);
  if (name !== undefined) files.push([SEED_FILE, await seedFor(name, redirectUri)]);
  await createDirectories(directory).catch((error: unknown) => {
    throw new CliError(
      EXIT.failed,
      `${directory} cannot be created: ${systemReason(error)}.`,
      "Choose another directory with --dir.",
    );
  });
  for (const [file, content] of files) await writeNew(join(directory, file), content, context.cwd);

  const created = files.map(([file]) => relative(context.cwd, join(directory, file)) || file);
  if (flags.json) return printJson(context, { created });
  for (const file of created) context.stdout.write(`Wrote ${file}\n`);
  const there = relative(context.cwd, directory);
  const inDirectory = there === "" ? "" : `cd ${quoted(there)} && `;
  // By itself svc serve takes no address beyond loopback from a seed.
  const start = redirectUri === undefined || isLoopbackUrl(redirectUri) ? "svc serve" : `svc serve --seed ${SEED_FILE}`;
  if (addsSeed)
    return say(
      context,
      `Add "seed": "${SEED_FILE}" to ${CONFIG_FILE}, which was not changed. To delete all records and start with the seed: ${inDirectory}${start} --reset`,
    );
  if (name === undefined)
    say(
      context,
      `The server starts with its demo. To add a seed for your application: ${addingSeed(directory, context.cwd)}`,
    );
  say(context, `Start the server with: ${inDirectory}${start}`);
}

/** Without an application's name there is no seed, and the server starts with its demo. */
async function askAll(context: Context, flags: InitOptions) {
  /** @param fault what is wrong with a value: that of a flag ends the command, one that was typed is asked for again */
  const answer = async (
    [flag, given]: [flag: string, given: string | undefined],
    question: string,
    standard: string,
    fault: (text: string) => string | undefined,
  ): Promise<string> => {
    const wrong = given === undefined ? undefined : fault(given);
    if (wrong !== undefined) throw new UsageError(`${flag}: ${wrong}`);
    if (given !== undefined || flags.yes) return given ?? standard;
    return (await context.ask(question, standard, (text) => fault(text.trim()))).trim();
  };
  const port = Number(await answer(["--port", flags.port], "Port of the server:", String(DEFAULT_PORT), portFault));
  const isWanted =
    flags.seed !== false &&
    (flags.name !== undefined ||
      flags.redirectUri !== undefined ||
      (!flags.yes && (await context.confirm("Start with your own application instead of the demo?"))));
  if (!isWanted) return { port, name: undefined, redirectUri: undefined };
  const name = await answer(["--name", flags.name], "Your application's name:", "My application", nameFault);
  // Loaded here, so that help starts fast.
  const { checkRedirectEntry } = await import("../../server/index.ts");
  const redirectUri = await answer(
    ["--redirect-uri", flags.redirectUri],
    "Its redirect URI:",
    "http://localhost:3000/callback",
    (text) => {
      try {
        checkRedirectEntry(text, { isOnly: true, isPreview: false });
        return undefined;
      } catch (error) {
        return `"${text}" is not a redirect URI: ${(error as { detail?: string }).detail}.`;
      }
    },
  );
  return { port, name, redirectUri };
}

/** Creates a file. Atomic: a file that has appeared since the check is not overwritten. */
async function writeNew(path: string, content: object, cwd: string): Promise<void> {
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw alreadyThere(path, cwd);
      throw new CliError(EXIT.failed, `${path} cannot be written: ${systemReason(error)}.`);
    },
  );
}

function alreadyThere(path: string, cwd: string): CliError {
  const name = relative(cwd, path);
  const beside = name.endsWith(CONFIG_FILE) ? ` To add a seed beside it: ${addingSeed(dirname(path), cwd)}` : "";
  return new CliError(
    EXIT.precondition,
    `${name} already exists, and is not overwritten.`,
    `Edit or move it, or choose another directory with --dir.${beside}`,
  );
}

function addingSeed(directory: string, cwd: string): string {
  const there = relative(cwd, directory);
  return `svc init --name <name>${there === "" ? "" : ` --dir ${quoted(there)}`}`;
}

function portFault(text: string): string | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? undefined : `"${text}" is not a port. Use a number from 1 to 65535.`;
}

function nameFault(name: string): string | undefined {
  const isName = name !== "" && name.length <= 200 && !/[^\P{C}]/u.test(name);
  return isName ? undefined : "A name has 1 to 200 printable characters.";
}

/** One instance with one user, who can sign in at every simulated provider. */
async function seedFor(name: string, redirectUri: string): Promise<object> {
  const { RESERVED_SUBDOMAINS, seedPersona } = await import("../../server/index.ts");
  const subdomain = subdomainFor(name, RESERVED_SUBDOMAINS);
  const email = `ada@${subdomain}.test`;
  return {
    instances: [
      {
        name,
        subdomain,
        default_provider: PROVIDERS[0],
        redirect_uris: [redirectUri],
        users: [{ email, name: "Ada Lovelace", email_verified_at: "2026-01-05T09:00:00Z" }],
      },
    ],
    personas: [seedPersona("ada", "Ada Lovelace", email)],
  };
}

/** A DNS label (RFC 1035, 2.3.1) from a name in any script. */
function subdomainFor(name: string, reserved: readonly string[]): string {
  const label = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return label === "" || reserved.includes(label) ? "app" : label;
}

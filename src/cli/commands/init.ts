import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Option } from "commander";
import { systemReason } from "../../disk/system-reason.ts";
import { isLoopbackUrl } from "../../http/address.ts";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import { CONFIG_FILE, DEFAULT_PORT } from "../../wire/serve.ts";
import { runs, type Flags, type Program } from "../command.ts";
import type { Context, Surroundings } from "../context.ts";
import { UsageError, CliError, EXIT } from "../errors.ts";
import { numberFrom } from "../quantities.ts";
import { printJson, say } from "../output/text.ts";

export interface InitOptions extends Flags<"port" | "name" | "redirectUri"> {
  readonly client?: Provider[];
}

const SEED_FILE = "seed.json";
const DEFAULT_REDIRECT_URI = "http://localhost:3000/callback";

export function add(program: Program, context: Surroundings): void {
  const command = program
    .command("init")
    .option("--port <number>", `the port of the server; default ${DEFAULT_PORT}`)
    .option("--name <name>", "the name of your application, for which a seed is written as well")
    .option("--redirect-uri <url>", `its redirect URI, such as ${DEFAULT_REDIRECT_URI}`)
    .addOption(new Option("--client <provider...>", "a client of its own at simulated providers").choices(PROVIDERS));
  runs(command, context, { on: "nothing" }, runInit, {
    examples: [
      ["svc init", "the demo, on the usual port"],
      ["svc init --name Acme --redirect-uri http://localhost:5173/callback", "with a seed for Acme"],
      ["svc init --client google github", "for an application that uses Auth.js or Better Auth"],
    ],
    notes:
      "Existing files are never overwritten. No keys are written: svc serve creates them. The secret of a client is, for\n" +
      "simulated accounts alone. Its redirect URI is /api/auth/callback/<provider>, as Auth.js and Better Auth have it.",
  });
}

/** Writes a configuration, and a seed for an application that is named. @throws {CliError} for a file that is there */
export async function runInit(context: Context, flags: InitOptions): Promise<void> {
  const { redirectUri, client: providers = [] } = flags;
  const name = flags.name ?? (redirectUri !== undefined || providers.length > 0 ? "My application" : undefined);
  const port = numberFrom("--port", flags.port ?? String(DEFAULT_PORT), 1, 65_535);
  if (name !== undefined && (name === "" || name.length > 200 || /[^\P{C}]/u.test(name)))
    throw new UsageError("--name has 1 to 200 printable characters.");
  const files: [string, object][] = [[CONFIG_FILE, { port, ...(name !== undefined && { seed: SEED_FILE }) }]];
  // The configuration last: it names the seed.
  if (name !== undefined)
    files.unshift([SEED_FILE, await seedFor(name, redirectUri ?? DEFAULT_REDIRECT_URI, providers)]);
  for (const [file] of files)
    if (existsSync(join(context.cwd, file)))
      throw new CliError(
        EXIT.precondition,
        `${file} already exists, and is not overwritten.`,
        "Edit it, or move it away.",
      );
  for (const [file, content] of files) await writeNew(context.cwd, file, content);
  const created = files.map(([file]) => file);
  if (flags.json) return printJson(context, { created });
  for (const file of created) context.stdout.write(`Wrote ${file}\n`);
  // By itself svc serve takes no address beyond loopback from a seed.
  const start = redirectUri === undefined || isLoopbackUrl(redirectUri) ? "svc serve" : `svc serve --seed ${SEED_FILE}`;
  say(context, `Start the server with: ${start}`);
  if (name !== undefined)
    say(context, "A seed is for an empty store: where the demo ran, add --reset, which deletes all of it.");
}

/** Creates a file. Atomic: one that is there is not overwritten. */
async function writeNew(directory: string, file: string, content: object): Promise<void> {
  await writeFile(join(directory, file), `${JSON.stringify(content, null, 2)}\n`, { flag: "wx" }).catch(
    (error: unknown) => {
      throw new CliError(EXIT.failed, `${file} cannot be written: ${systemReason(error)}.`);
    },
  );
}

/** One instance with one user, who can sign in at every simulated provider. @throws {UsageError} for a wrong redirect URI */
async function seedFor(name: string, redirectUri: string, providers: readonly Provider[]): Promise<object> {
  // Loaded here, so that help starts fast.
  const { checkRedirectEntry, RESERVED_SUBDOMAINS, seedPersona } = await import("../../server/index.ts");
  try {
    checkRedirectEntry(redirectUri, { isOnly: true, isPreview: false });
  } catch (error) {
    const { detail } = error as { detail?: string };
    throw new UsageError(`--redirect-uri: "${redirectUri}" is not a redirect URI: ${detail}.`);
  }
  const subdomain = subdomainFor(name, RESERVED_SUBDOMAINS);
  const email = `ada@${subdomain}.test`;
  return {
    instances: [
      {
        name,
        subdomain,
        default_provider: PROVIDERS[0],
        redirect_uris: [redirectUri],
        ...(providers.length > 0 && {
          clients: providers.map((provider) => clientFor(provider, subdomain, redirectUri)),
        }),
        users: [{ email, name: "Ada Lovelace", email_verified_at: "2026-01-05T09:00:00Z" }],
      },
    ],
    personas: [seedPersona("ada", "Ada Lovelace", email)],
  };
}

function clientFor(provider: Provider, subdomain: string, redirectUri: string): object {
  const { origin } = new URL(/^https?:/i.test(redirectUri) ? redirectUri : DEFAULT_REDIRECT_URI);
  return {
    provider,
    client_id: `${subdomain}-${provider}`,
    client_secret: randomBytes(24).toString("base64url"),
    redirect_uris: [`${origin}/api/auth/callback/${provider}`],
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

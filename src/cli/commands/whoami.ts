import { valueOf, type Sourced } from "../choices.ts";
import { runs, type GlobalFlags, type Program } from "../command.ts";
import type { Target } from "../connection/sources.ts";
import { resolveTarget } from "../connection/target.ts";
import type { Context, Surroundings } from "../context.ts";
import { readCurrent } from "../credentials/profiles.ts";
import { EXIT, type ExitCode } from "../errors.ts";
import { mask, printJson, printRecord } from "../output/text.ts";

const VALUES = ["profile", "base_url", "api_url", "publishable_key", "control_url"] as const;

export function add(program: Program, context: Surroundings): void {
  runs(program.command("whoami"), context, { on: "instance", sendsNothing: true }, runWhoami, {
    examples: [["svc whoami", "every value, and where it comes from"]],
    notes:
      "Precedence: flags, --profile, SVC_* variables, the local server of this directory, the current profile.\n" +
      "Sends nothing: svc doctor asks the service whether it accepts the key.",
  });
}

export async function runWhoami(context: Context, options: GlobalFlags): Promise<ExitCode> {
  const target = await resolveTarget(context);
  const key = await keyOf(target);
  // As the local server's file has it.
  const local = target.server?.instances.find(({ secret_key }) => secret_key === key?.value);
  const instance = local && { subdomain: local.subdomain, id: local.id };
  const shown = {
    ...Object.fromEntries(VALUES.map((name) => [name, target[name] ?? null])),
    secret_key: key ? { value: mask(key.value), source: key.source } : null,
  } as Record<string, Sourced | null>;
  // Where a local server keeps its records.
  const store = target.server?.store;
  if (options.json) printJson(context, { ...shown, instance: instance ?? null, store: store ?? null });
  else
    printRecord(context, {
      ...Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, inWords(value)])),
      instance: instance ? `${instance.subdomain} ${instance.id}` : "(svc doctor asks for it)",
      ...(store !== undefined && { store }),
    });
  // A user who has chosen a profile may wonder why another service is used.
  const current = await readCurrent(context).catch(() => undefined);
  if (current !== undefined && target.profile === undefined)
    context.stderr.write(`The current profile "${current}" is overridden by this. To use it: --profile ${current}\n`);
  return key === undefined ? EXIT.noKey : EXIT.done;
}

async function keyOf({ secret_key }: Target): Promise<Sourced | undefined> {
  return secret_key && { value: await valueOf(secret_key), source: secret_key.source };
}

function inWords(value: Sourced | null): string {
  return value === null ? "(none)" : `${value.value}  (${value.source})`;
}

import type { GlobalFlags } from "../config.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { printJson, printRecord } from "../output.ts";
import type { Program } from "../program.ts";
import { openKeylessClient } from "./client.ts";

export function addInstances(program: Program, context: Context): void {
  const instances = program.command("instances").description("find instances");

  instances
    .command("resolve <publishable_key>")
    .description("print the address of the instance with this pk_ key")
    .action(async (key: string) => {
      const flags = program.opts<GlobalFlags>();
      const client = await openKeylessClient(context, flags);
      const instance = await client.instances.resolve(key).catch((error: { code?: string }) => {
        if (error.code !== "unauthorized") throw error;
        throw new CliError(EXIT.noKey, `No instance here has the publishable key ${key}.`);
      });
      if (flags.json) return printJson(context, instance);
      const { publishable_key, url, subdomain } = instance.data;
      printRecord(context, {
        id: instance.id,
        publishable_key,
        url: url ?? "(not active yet)",
        subdomain: subdomain ?? "(not active yet)",
      });
    });
}

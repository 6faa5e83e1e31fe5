import { runs, type GlobalFlags, type Program } from "../command.ts";
import { openWith } from "../connection/client.ts";
import { readExplicitTarget } from "../connection/sources.ts";
import type { RunningServerFile } from "../connection/server-file.ts";
import { findServerHere } from "../connection/server-here.ts";
import { resolveTarget } from "../connection/target.ts";
import type { Context, Surroundings } from "../context.ts";
import { CliError, EXIT, UsageError } from "../errors.ts";
import type { Listed } from "../list/columns.ts";
import { printList } from "../list/print.ts";
import { printsRows } from "../output/flags.ts";
import { printJson, printRecord } from "../output/text.ts";

type LocalInstance = Required<Omit<RunningServerFile["instances"][number], "secret_key" | "redirect_uris">>;

const LISTED: Listed<LocalInstance> = {
  columns: [
    { name: "subdomain", title: "SUBDOMAIN" },
    { name: "name", title: "NAME" },
    { name: "url", title: "ADDRESS", isSpare: true },
    { name: "program_url", title: "FROM PROGRAMS", isSpare: true },
    { name: "publishable_key", title: "PUBLISHABLE KEY", isSpare: true },
    { name: "id", title: "ID" },
    { name: "active", title: "ACTIVE", as: ["yes", "no"] },
  ],
};

export function add(program: Program, context: Surroundings): void {
  const instances = program.command("instances");
  runs(
    printsRows(instances.command("list")).description("print the instances of the local server"),
    context,
    { on: "server" },
    runList,
    {
      examples: [["svc instances list", "a table; tab-separated in a pipe"]],
      notes:
        "To use one in any command:\n  svc users list --instance globex\n\n" +
        "Programs call every instance at the address FROM PROGRAMS, with its key; many do not resolve names below\n" +
        "localhost. A sign-in there names the instance: /sign-in?instance=globex&redirect_uri=…",
    },
  );

  const resolve = instances
    .command("resolve [publishable_key]")
    .description(
      "print the address of the instance with a publishable key; default: that of SVC_PUBLISHABLE_KEY or of the server",
    );
  runs(resolve, context, { on: "instance" }, runResolve, {
    examples: [["svc instances resolve pk_live_abc123", "needs no secret key"]],
  });
}

export async function runList(context: Context, options: GlobalFlags): Promise<void> {
  const named = await readExplicitTarget(context);
  const { server } = await findServerHere(context, named, "Services elsewhere do not list their instances.");
  const rows = server.instances.map(({ id, name, subdomain, url, publishable_key, active }) => ({
    id,
    name,
    subdomain,
    url,
    program_url: server.url,
    publishable_key,
    active,
  }));
  await printList(context, options, LISTED, rows, { none: "The server has no instances." });
}

export async function runResolve(context: Context, options: GlobalFlags, given?: string): Promise<void> {
  const target = await resolveTarget(context);
  const key = given ?? target.publishable_key?.value;
  if (key === undefined)
    throw new UsageError("No publishable key.", "Pass it, or set SVC_PUBLISHABLE_KEY: svc instances resolve pk_…");
  const client = await openWith(context, target);
  const instance = await client.instances.resolve(key).catch((error: { code?: string }) => {
    if (error.code !== "instance_not_found") throw error;
    throw new CliError(
      EXIT.notFound,
      `No instance has the publishable key ${key}.`,
      "svc instances list shows the keys of a server on this machine. Elsewhere, check SVC_API_URL.",
      "instance_not_found",
    );
  });
  if (options.json) return printJson(context, instance);
  const { publishable_key, url, subdomain } = instance.data;
  printRecord(context, {
    id: instance.id,
    publishable_key,
    url: url ?? "(not active yet)",
    subdomain: subdomain ?? "(not active yet)",
  });
}

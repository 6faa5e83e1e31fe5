import { Option, type Command } from "commander";
import type { AnswerOf, BodyOf } from "../../../wire/control/types.ts";
import { PROVIDERS, type Provider } from "../../../wire/providers.ts";
import { collect, runs, withHelp, type Flags } from "../../command.ts";
import { consentAt, YES_FLAG } from "../../connection/consent.ts";
import { instanceInWords, instanceOf, openControl, sayDone } from "../../connection/control.ts";
import type { Context, Surroundings } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import type { Listed } from "../../list/columns.ts";
import { printList, printResource } from "../../list/print.ts";
import { printsRows } from "../../output/flags.ts";
import { printJson } from "../../output/text.ts";

const INSTANCE_COLUMNS: Listed<AnswerOf<"GET /instances">[number]> = {
  columns: [
    { name: "subdomain", title: "SUBDOMAIN" },
    { name: "name", title: "NAME" },
    { name: "url", title: "ADDRESS", isSpare: true },
    { name: "active", title: "ACTIVE", isSpare: true, as: ["yes", "no"] },
    { name: "default_provider" },
    { name: "redirect_uris" },
    { name: "preview", as: ["yes", "no"] },
    { name: "publishable_key" },
    { name: "id", title: "ID", isId: true },
  ],
};

export interface InstanceOptions extends Flags<"name" | "subdomain", "active" | "preview" | "yes"> {
  readonly defaultProvider?: Provider;
  readonly redirectUri?: string[];
}

export function addInstances(dev: Command, context: Surroundings): void {
  const instances = dev.command("instances").description("create, update and delete instances");
  withHelp(instances, {
    notes: "The keys of an instance: svc env --instance umbrella",
  });

  const list = printsRows(instances.command("list")).description("print the instances, newest first");
  runs(list, context, { on: "server" }, runInstances, {
    examples: [["svc dev instances list --json", "with redirect URIs"]],
  });

  const create = addFlags(printsRows(instances.command("create <subdomain>"))).description("create an instance");
  runs(create, context, { on: "server", changes: true }, runCreate, {
    examples: [["svc dev instances create umbrella", "called umbrella"]],
  });

  const update = addFlags(printsRows(instances.command("update").argument("<instance>", "an id or subdomain")))
    .description("update an instance")
    .option("--subdomain <label>", "a new subdomain");
  runs(update, context, { on: "instance", changes: true }, runUpdate, {
    examples: [
      [
        "svc dev instances update acme --redirect-uri http://localhost:3000/callback",
        "replace its redirect_uris; repeat the flag for more than one",
      ],
      ["svc dev instances update umbrella --no-active", "refuse sign-ins"],
    ],
  });

  const remove = instances
    .command("delete")
    .argument("<instance>", "an id or subdomain")
    .description("delete an instance with all its records")
    .option(...YES_FLAG);
  runs(remove, context, { on: "instance", changes: true }, runDelete, {
    examples: [["svc dev instances delete umbrella --yes", "without a question"]],
  });
}

function addFlags(command: Command): Command {
  return command
    .option("--name <name>", "the name that people see")
    .option("--active", "accept sign-ins")
    .option("--no-active", "refuse sign-ins; its API, keys and tokens keep working")
    .addOption(
      new Option("--default-provider <provider>", "the provider of sign-ins that name none").choices(PROVIDERS),
    )
    .option("--redirect-uri <url>", "an address that sign-ins may return to; can be repeated", collect)
    .option("--preview", "allow one * in the host of a redirect URI, for preview deployments")
    .option("--no-preview", "allow none");
}

export async function runInstances(context: Context, options: InstanceOptions): Promise<void> {
  const rows = (await openControl(context)).rows("GET /instances");
  await printList(context, options, INSTANCE_COLUMNS, rows, { none: "There are no instances." });
}

export async function runCreate(context: Context, options: InstanceOptions, subdomain: string): Promise<void> {
  const body = { ...given(options), name: options.name ?? subdomain, subdomain };
  const control = await openControl(context);
  await printResource(context, options, INSTANCE_COLUMNS, await control.request("POST /instances", { body }));
  await sayDone(context, options, control, `Created the instance ${subdomain} of`);
}

export async function runUpdate(context: Context, options: InstanceOptions, instance: string): Promise<void> {
  const body = { ...given(options), subdomain: options.subdomain };
  if (Object.values(body).every((value) => value === undefined))
    throw new UsageError("Nothing to change.", "See svc dev instances update --help.");
  const control = await openControl(context, instance);
  const params = { id: (await instanceOf(control)).id };
  const changed = await control.request("PATCH /instances/:id", { params, body });
  await printResource(context, options, INSTANCE_COLUMNS, changed);
  await sayDone(context, options, control, `Updated the instance ${changed.data.subdomain} of`);
}

export async function runDelete(context: Context, options: InstanceOptions, instance: string): Promise<void> {
  const control = await openControl(context, instance);
  const found = await instanceOf(control);
  const does = `Delete ${instanceInWords(found)} with all its users and sessions`;
  await consentAt(context, control, options, does, " This cannot be undone.");
  const answer = await control.request("DELETE /instances/:id", { params: { id: found.id } });
  if (options.json) return printJson(context, answer);
  await sayDone(context, options, control, `Deleted the instance ${found.data.subdomain} of`);
}

function given(options: InstanceOptions): BodyOf<"PATCH /instances/:id"> {
  const { name, active, defaultProvider, redirectUri, preview } = options;
  return { name, active, default_provider: defaultProvider, redirect_uris: redirectUri, preview };
}

import type { User } from "../../wire/resources.ts";
import type { GlobalFlags } from "../config.ts";
import { isInteractive, type Context } from "../context.ts";
import { CliError, EXIT } from "../errors.ts";
import { relative } from "../format.ts";
import { harmless, printJson, printRecord, printRows, type Column } from "../output.ts";
import type { Program } from "../program.ts";
import { openClient } from "./client.ts";
import { addListFlags, addSearchFlags, pageOf, queryOf, type ListFlags, type SearchFlags } from "./query.ts";

export function addUsers(program: Program, context: Context): void {
  const users = program.command("users");

  users
    .command("get <id>")
    .description("print one user")
    .action(async (id: string) => {
      const flags = program.opts<GlobalFlags>();
      const user = await (await openClient(context, flags)).users.get(id);
      if (flags.json) printJson(context, user);
      else printRecord(context, record(user));
    });

  addListFlags(users.command("list").description("print all users, newest first")).action(async (own: ListFlags) => {
    const flags = program.opts<GlobalFlags>();
    print(context, flags, await (await openClient(context, flags)).users.list(pageOf(own)), "There are no users yet.");
  });

  addSearchFlags(users.command("search").description("print the users that match"))
    .addHelpText(
      "after",
      `
Examples:
  svc users search 'email:*@acme.com'
  svc users search 'name:ada*' 'created_at>=2026-01-01' 'created_at<2026-02-01'
  svc users search 'email:*@acme.com' -name:bot*
  svc users search email_verified_at:null

Fields: id, email, name, avatar_url, created_at, updated_at, email_verified_at.
Quote terms with * or >: shells have their own use for them.`,
    )
    .action(async (terms: string[], own: SearchFlags) => {
      const flags = program.opts<GlobalFlags>();
      const query = queryOf(terms, own, "svc users search 'email:*@acme.com'");
      print(
        context,
        flags,
        await (await openClient(context, flags)).users.search(query, pageOf(own)),
        "No users match.",
      );
    });

  users
    .command("delete <id>")
    .description("delete a user with all identities and sessions; this cannot be undone")
    .option("-y, --yes", "do not ask")
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      const flags = program.opts<GlobalFlags>();
      const client = await openClient(context, flags);
      if (!yes) await confirmDelete(context, await client.users.get(id));
      const deleted = await client.users.delete(id);
      if (flags.json) printJson(context, deleted);
      else context.stdout.write(`Deleted ${deleted.id}\n`);
    });
}

async function confirmDelete(context: Context, { data }: User): Promise<void> {
  if (!isInteractive(context))
    throw new CliError(
      EXIT.usage,
      "Deleting a user asks for confirmation, and nobody is here to give it.",
      "Add --yes to delete without being asked.",
    );
  if (!(await context.confirm(`Delete ${harmless(data.email)}? This cannot be undone.`)))
    throw new CliError(EXIT.failed, "Nothing was deleted.");
}

function print(context: Context, { json }: GlobalFlags, users: User[], none: string): void {
  if (json) return printJson(context, users);
  printRows(context, users, columns(context), none);
}

function columns(context: Context): Column<User>[] {
  const time = (iso: string): string => (context.stdout.isTTY ? relative(iso, context.now()) : iso);
  return [
    { title: "ID", whole: true, text: ({ id }) => id },
    { title: "EMAIL", text: ({ data }) => data.email },
    { title: "NAME", text: ({ data }) => data.name },
    { title: "PROVIDERS", text: ({ data }) => data.providers.join(",") },
    { title: "VERIFIED", text: ({ data }) => (data.email_verified ? "yes" : "no") },
    { title: "CREATED", text: ({ data }) => time(data.created_at) },
  ];
}

function record({ id, data }: User): Record<string, string> {
  return {
    id,
    email: data.email,
    name: data.name,
    avatar_url: data.avatar_url ?? "",
    email_verified: String(data.email_verified),
    providers: data.providers.join(","),
    created_at: data.created_at,
  };
}

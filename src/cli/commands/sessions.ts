import type { Session } from "../../wire/resources.ts";
import type { GlobalFlags } from "../config.ts";
import type { Context } from "../context.ts";
import { relative } from "../format.ts";
import { printJson, printRecord, printRows, type Column } from "../output.ts";
import type { Program } from "../program.ts";
import { openClient } from "./client.ts";
import { addListFlags, addSearchFlags, pageOf, queryOf, type ListFlags, type SearchFlags } from "./query.ts";

export function addSessions(program: Program, context: Context): void {
  const sessions = program.command("sessions");

  sessions
    .command("get <session_id>")
    .description("print one session, by its svc_session_<uuid>")
    .action(async (id: string) => {
      const flags = program.opts<GlobalFlags>();
      const session = await (await openClient(context, flags)).sessions.get(id);
      if (flags.json) printJson(context, session);
      else printRecord(context, record(session));
    });

  addListFlags(sessions.command("list").description("print all sessions, the most recent sign-in first")).action(
    async (own: ListFlags) => {
      const flags = program.opts<GlobalFlags>();
      print(
        context,
        flags,
        await (await openClient(context, flags)).sessions.list(pageOf(own)),
        "There are no sessions yet.",
      );
    },
  );

  addSearchFlags(sessions.command("search").description("print the sessions that match"))
    .addHelpText(
      "after",
      `
Examples:
  svc sessions search 'email:*@acme.com' provider:github
  svc sessions search 'last_signin_at>=2026-01-01' -provider:google
  svc sessions search 'ip_address:203.0.113.*' revoked_at:null

Fields: id, session_id, user_id, provider, email, name, ip_address, logged_in_at,
last_signin_at, revoked_at, created_at.
Quote terms with * or >: shells have their own use for them.`,
    )
    .action(async (terms: string[], own: SearchFlags) => {
      const flags = program.opts<GlobalFlags>();
      const query = queryOf(terms, own, "svc sessions search provider:github");
      print(
        context,
        flags,
        await (await openClient(context, flags)).sessions.search(query, pageOf(own)),
        "No sessions match.",
      );
    });
}

function print(context: Context, { json }: GlobalFlags, sessions: Session[], none: string): void {
  if (json) return printJson(context, sessions);
  printRows(context, sessions, columns(context), none);
}

function columns(context: Context): Column<Session>[] {
  const time = (iso: string): string => (context.stdout.isTTY ? relative(iso, context.now()) : iso);
  return [
    { title: "SESSION", whole: true, text: ({ data }) => data.session_id },
    { title: "EMAIL", text: ({ data }) => data.email },
    { title: "PROVIDER", text: ({ data }) => data.provider },
    { title: "IP", text: ({ data }) => data.ip_address },
    { title: "LAST SIGN-IN", text: ({ data }) => time(data.last_signin_at) },
    { title: "ACTIVE", text: ({ data }) => (data.active ? "yes" : "revoked") },
  ];
}

function record({ id, data }: Session): Record<string, string> {
  return {
    session_id: data.session_id,
    id,
    user_id: data.user_id,
    provider: data.provider,
    name: data.name,
    email: data.email,
    ip_address: data.ip_address,
    geo_data: JSON.stringify(data.geo_data),
    logged_in_at: data.logged_in_at,
    last_signin_at: data.last_signin_at,
    revoked_at: data.revoked_at ?? "",
    active: String(data.active),
  };
}

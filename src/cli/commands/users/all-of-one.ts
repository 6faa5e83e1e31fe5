import type { Client } from "../../../client/client.ts";
import type { ControlClient } from "../../../control-client/index.ts";
import { controlOf } from "../../connection/control.ts";
import type { AnswerOf } from "../../../wire/control/types.ts";
import { MAX_PAGE_SIZE } from "../../../http/request.ts";
import type { Session, User } from "../../../wire/resources.ts";
import type { Context } from "../../context.ts";
import { SESSION_COLUMNS, USER_COLUMNS, type Column, type Listed } from "../../list/columns.ts";
import { printList, printResource } from "../../list/print.ts";
import type { OutputFlags } from "../../output/flags.ts";
import { printJson } from "../../output/text.ts";

type Account = NonNullable<AnswerOf<"GET /users/:id">["data"]["identities"]>[number];
type SignIn = AnswerOf<"GET /flows">[number];

const SIGN_IN_COLUMNS: Listed<SignIn> = {
  columns: [
    { name: "started_at", title: "SIGN-IN", as: "time" },
    { name: "provider", title: "PROVIDER" },
    { name: "result", title: "RESULT" },
    { name: "id", title: "FLOW" },
    { name: "reason", title: "REASON" },
  ],
};

async function accountsOf(context: Context, control: ControlClient, id: string): Promise<readonly Account[]> {
  const query = { instance: context.network.instance?.id };
  return (await control.request("GET /users/:id", { params: { id }, query })).data.identities ?? [];
}

function inWords({ provider, uid, email, email_verified }: Account): string {
  return `${provider} ${uid} (${email}${email_verified ? "" : ", not verified"})`;
}

/**
 * Prints a user for a person, with the accounts at providers; with `all` everything that is stored of her, as the law lets
 * people ask for. That is one document with `--json`, of which `accounts` and `sign_ins` are null where no control API is known.
 */
export async function printOne(
  context: Context,
  flags: OutputFlags & { readonly all?: boolean },
  service: { readonly client: Client; readonly base_url: string | undefined },
  user: User,
): Promise<void> {
  const control = await controlOf(context, service.base_url);
  const accounts = control && (await accountsOf(context, control, user.id));
  const text = accounts ? accounts.map(inWords).join(", ") || "none" : "(only the control API shows them)";
  const columns: Column<User>[] = [...USER_COLUMNS.columns, { name: "accounts", value: () => text }];
  if (!flags.all) return printResource(context, flags, USER_COLUMNS, user, columns);
  const sessions: Session[] = [];
  for await (const session of service.client.sessions.search(`user_id:${user.id}`)) sessions.push(session);
  const signIns = control && (await control.request("GET /flows", { query: { user: user.id, limit: MAX_PAGE_SIZE } }));
  if (flags.json) return printJson(context, { user, sessions, accounts: accounts ?? null, sign_ins: signIns ?? null });
  await printResource(context, flags, USER_COLUMNS, user, columns);
  context.stdout.write("Sessions:\n");
  await printList(context, flags, SESSION_COLUMNS, sessions, { none: "No sessions." });
  if (!signIns) return;
  context.stdout.write("Latest sign-ins:\n");
  await printList(context, flags, SIGN_IN_COLUMNS, signIns, { none: "No sign-ins since the server started." });
}

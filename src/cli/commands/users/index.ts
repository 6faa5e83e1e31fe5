import type { User } from "../../../wire/resources.ts";
import type { Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { USER_COLUMNS } from "../../list/columns.ts";
import { USERS } from "../../search/flags.ts";
import { addListAndSearch, type Records } from "../record-commands.ts";
import { addDelete } from "./delete/index.ts";
import { addGet } from "./get.ts";

export const USER_RECORDS: Records<User> = {
  columns: USER_COLUMNS,
  searched: USERS,
  order: "newest first",
  examples: {
    list: [
      ["svc users list --limit 20", "the 20 newest users"],
      ["svc users list --output csv --bom > users.csv", "all users, for Excel"],
      ["svc users list --count", "the number of users"],
    ],
    search: [
      ["svc users search 'email:*@acme.test'", "all users of one domain"],
      ["svc users search 'name:ada*' 'created_at>=2026-01-01' 'created_at<2026-02-01'", "by name, created in January"],
      ["svc users search email.ends=@acme.test -name:bot", "all but those named bot"],
      ["svc users search email_verified_at:null", "users without a verified address"],
      ["svc users search --provider github", "users who can sign in through github"],
      ["svc users search --explain 'created_at<2026-01-10' 'created_at>2026-03-04'", "what a search means"],
      ["svc users search --email-domain acme.test --since 7d --output ids", "the ids of a week, for another command"],
    ],
  },
  of: ({ users }) => users,
};

export function addUsers(program: Program, context: Context): void {
  const users = program.command("users");
  addGet(users, context);
  addListAndSearch(users, context, USER_RECORDS);
  addDelete(users, context);
}

import type { Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { addDelete } from "./delete/index.ts";
import { addGet } from "./get.ts";
import { addList } from "./list.ts";
import { addSearch } from "./search.ts";

export function addUsers(program: Program, context: Context): void {
  const users = program.command("users");
  for (const add of [addGet, addList, addSearch, addDelete]) add(users, context);
}

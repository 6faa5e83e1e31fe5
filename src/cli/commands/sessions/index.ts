import type { Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { addGet } from "./get.ts";
import { addList } from "./list.ts";
import { addSearch } from "./search.ts";

export function addSessions(program: Program, context: Context): void {
  const sessions = program.command("sessions");
  for (const add of [addGet, addList, addSearch]) add(sessions, context);
}

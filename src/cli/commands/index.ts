import type { Context } from "../context.ts";
import type { Program } from "../program.ts";
import { addInstances } from "./instances.ts";
import { addServe } from "./serve/index.ts";
import { addSessions } from "./sessions.ts";
import { addSignIn } from "./sign-in.ts";
import { addStore } from "./store/index.ts";
import { addTokens } from "./tokens.ts";
import { addUsers } from "./users.ts";

export function addCommands(program: Program, context: Context): void {
  addServe(program, context);
  addSignIn(program, context);
  addUsers(program, context);
  addSessions(program, context);
  addTokens(program, context);
  addInstances(program, context);
  addStore(program, context);
}

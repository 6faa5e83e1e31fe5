import type { Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { addDecode } from "./decode.ts";
import { addVerify } from "./verify.ts";

export function addTokens(program: Program, context: Context): void {
  const tokens = program.command("tokens");
  for (const add of [addVerify, addDecode]) add(tokens, context);
}

import type { Program } from "../../command.ts";
import type { Context } from "../../context.ts";
import { addCheck } from "./check.ts";
import { addCopy } from "./copy.ts";
import { addExport } from "./export.ts";
import { addCompact } from "./compact.ts";
import { addImport } from "./import.ts";
import { addMigrate } from "./migrate.ts";
import { addRepair } from "./repair.ts";

export function addStore(program: Program, context: Context): void {
  const store = program.command("store");
  for (const add of [addCheck, addRepair, addCompact, addMigrate, addCopy, addExport, addImport]) add(store, context);
}

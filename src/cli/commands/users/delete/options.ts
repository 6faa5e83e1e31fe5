import type { Flags } from "../../../command.ts";
import type { SearchFlags } from "../../../search/flags.ts";

export const MAX_CONCURRENCY = 32;

export interface DeleteOptions
  extends
    SearchFlags,
    Flags<"expect" | "receipt" | "file" | "column", "dryRun" | "explain" | "yes" | "resume" | "status"> {
  readonly max: string;
  readonly concurrency: string;
}

import type { GlobalFlags } from "../../../command.ts";
import type { SearchFlags } from "../../../search/flags.ts";

export const DEFAULT_MAX = 100;
export const MAX_CONCURRENCY = 32;

export interface DeleteOptions extends SearchFlags, GlobalFlags {
  readonly dryRun?: boolean;
  readonly explain?: boolean;
  readonly yes?: boolean;
  readonly expect?: string;
  readonly max: string;
  readonly concurrency: string;
  readonly receipt?: string;
  readonly resume?: boolean;
  readonly status?: boolean;
  readonly file?: string;
  readonly column?: string;
}

import { join } from "node:path";

/** The repository. */
export const ROOT = join(import.meta.dirname, "..");

/** The `svc` command, as it was last built. */
export const BIN = join(ROOT, "bin/svc.js");

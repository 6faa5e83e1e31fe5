import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

// The files of a run start in the clone, and a program that is told no directory finds it. What svc keeps of each file's
// servers and stores is a directory of its own.
process.chdir(mkdtempSync(join(inject("shared"), "cwd-")));
process.env["SVC_DATA_DIR"] = mkdtempSync(join(inject("shared"), "data-"));

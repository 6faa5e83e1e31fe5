import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

// The files of a run start in the clone, where svc leaves its store, and a program that is told no directory finds it.
process.chdir(mkdtempSync(join(inject("shared"), "cwd-")));

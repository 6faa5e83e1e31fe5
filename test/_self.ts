import { join } from "node:path";
import { ROOT } from "./_paths.ts";

/** The package by its own name, for examples that are packages themselves: Node would look for it among their dependencies. */
export const SELF = [{ find: /^svc-identity\/(.+)$/, replacement: join(ROOT, "dist/$1.js") }];

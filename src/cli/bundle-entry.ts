/** All that commands need; the build makes one file of it, which the version and the first help do without. */
export { processContext } from "./process-context.ts";
export { runProgram } from "./run.ts";

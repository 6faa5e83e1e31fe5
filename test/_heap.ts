import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The heap after garbage collection, in MiB. */
export function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

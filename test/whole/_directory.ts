import { execFileSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { programOf } from "../_machine.ts";

/** What the machine needs for it. */
export const LOCKING = "a directory that can't be written";

/** Lets nothing be created in a directory meanwhile, not even by root. What is there can be written. */
export async function locked(directory: string, meanwhile: () => Promise<unknown>): Promise<void> {
  if (programOf(LOCKING) === undefined) return;
  const lock = async (isLocked: boolean): Promise<unknown> =>
    process.getuid!() === 0
      ? execFileSync("chattr", [isLocked ? "+i" : "-i", directory])
      : chmod(directory, isLocked ? 0o500 : 0o700);
  await lock(true);
  try {
    await meanwhile();
  } finally {
    await lock(false);
  }
}

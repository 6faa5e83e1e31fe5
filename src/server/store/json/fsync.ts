import { open } from "node:fs/promises";

/** Makes renames and removals in a directory durable; Windows knows no such thing. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

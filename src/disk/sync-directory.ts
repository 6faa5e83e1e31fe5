import { open } from "node:fs/promises";

/** Makes renames and removals in a directory durable. Windows can't open one, and some file systems can't sync one. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Shared folders of virtual machines have no such call. PostgreSQL continues there too (fsync_fname).
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}

import type { Announcement } from "../../connection/running-server.ts";
import type { RunningServerFile } from "../../connection/server-file.ts";

/** Keeps a server's file true while instances come and go and keys are replaced. */
export interface UpToDate {
  /** Writes the file if something has changed. */
  check(): void;
  /** Resolves when the last write is done. */
  stop(): Promise<void>;
}

/** @param describe what the file says of the server now */
export function keepUpToDate(
  { update }: Announcement,
  describe: () => RunningServerFile,
  warn: (message: string) => void,
): UpToDate {
  let known = JSON.stringify(describe());
  let isStopped = false;
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const server = describe();
    const text = JSON.stringify(server);
    if (isStopped || text === known) return;
    known = text;
    await update(server).catch(({ code }: NodeJS.ErrnoException) =>
      warn(`the server's file in .svc cannot be written (${code}): commands know old keys`),
    );
  };
  return {
    check: () => void (writing = writing.then(write)),
    async stop() {
      isStopped = true;
      await writing;
    },
  };
}

import type { Database } from "./database/database.ts";

/** 64 KB that can't be compressed. The server removes what is left of it. */
const TRY = `INSERT INTO svc.settings (name, value)
  SELECT 'room', to_json(string_agg(md5(random()::text), '')) FROM generate_series(1, 2048)`;

/**
 * Checks whether a server whose disk was full has space again. A small row would prove nothing: it may fit into an
 * existing page.
 * @throws {StorageUnavailable} if it has none
 */
export async function checkDiskSpace(database: Database): Promise<void> {
  const session = database.openSession();
  try {
    await session.begin();
    await session.ask(TRY);
    await session.ask("ROLLBACK");
    database.noteRoom();
  } finally {
    await session.close();
  }
}

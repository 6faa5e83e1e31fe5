import { FUNCTIONS } from "./version-1-functions.ts";
import { TABLES } from "./version-1-tables.ts";

/**
 * The schema's versions: the first makes it, each further one changes what the one before left. What was released is
 * never edited. Everything lies in a schema of its own, so that the database may hold other things too.
 */
export const MIGRATIONS: readonly string[] = [TABLES + FUNCTIONS];

/** What a search for a part of a text goes through. */
export const TRIGRAM_INDEXES: readonly (readonly [name: string, table: string, column: string])[] = [
  ["users_email_trigrams", "users", "email_folded"],
  ["users_name_trigrams", "users", "name_folded"],
  ["sessions_email_trigrams", "sessions", "email_folded"],
  ["sessions_name_trigrams", "sessions", "name_folded"],
];

export const MAX_PAGE_SIZE = 1000;

/**
 * Optional paging of a list: at most `limit` (1 to 1000) records, those after the user `after` (an id) or session `after` (a
 * `session_id`), or after the position that a `Link` header has in its place.
 */
export interface Page {
  limit?: number | undefined;
  after?: string | undefined;
}

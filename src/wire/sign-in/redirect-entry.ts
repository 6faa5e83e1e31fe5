/** The entry of `redirect_uris` that matches every address. */
export const ANY_ADDRESS = "*";
/** The end of an entry that matches its address with any query. */
export const ANY_QUERY = "?*";

/** The address of an entry. */
export function withoutWildcard(entry: string): string {
  return entry.endsWith(ANY_QUERY) ? entry.slice(0, -ANY_QUERY.length) : entry;
}

/** The entry of `redirect_uris` that matches every address. */
export const ANY_ADDRESS = "*";
/** The end of an entry that matches its address with any query. */
export const ANY_QUERY = "?*";

/** An entry without the `?*` at its end. */
export function withoutWildcard(entry: string): string {
  return entry.endsWith(ANY_QUERY) ? entry.slice(0, -ANY_QUERY.length) : entry;
}

/** The one address of an entry. Undefined if its host has a `*`, or it is `*`. */
export function addressIn(entry: string): string | undefined {
  const address = withoutWildcard(entry);
  return address.includes("*") ? undefined : address;
}

/** An address that an entry allows. */
export function exampleOf(entry: string): string {
  return withoutWildcard(entry).replace("*", "preview");
}

/** Longer ones would fill the room that a browser has for cookies. */
const MAX_LENGTH = 1000;

/**
 * A path of the application with its query and fragment, in the URL standard's normal form; `/` for anything else.
 * `//host`, `/\host` and `/.//host` lead to other hosts, or do after some framework has tidied them up.
 */
export function pathWithin(origin: string, path: unknown): string {
  if (typeof path !== "string" || !path.startsWith("/") || !URL.canParse(path, origin)) return "/";
  const url = new URL(path, origin);
  const own = `${url.pathname}${url.search}${url.hash}`;
  const isWithin = url.origin === origin && !own.startsWith("//") && encodeURIComponent(own).length <= MAX_LENGTH;
  return isWithin ? own : "/";
}

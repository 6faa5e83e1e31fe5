import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";

/** The current location: `#/users/0b6c…?instance=acme`. */
export interface Location {
  /** The parts of the path: `["users", "0b6c…"]`. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

const hash = signal(globalThis.location.hash);
const lists = new Map<string, string>();

globalThis.addEventListener("hashchange", () => {
  hash.value = globalThis.location.hash;
});
effect(() => {
  const { path, query } = parse(hash.value);
  // Without the form that is open.
  const address = query["new"] ? href(path, { ...query, new: undefined }) : hash.value;
  if (path.length === 1) lists.set(path[0]!, address);
});

/** The address of a record's list, with its last search. */
export function listAddress(view: string): string {
  return lists.get(view) ?? `#/${view}`;
}

/** The current address, such as `#/users?query=name:ada`. */
export const currentAddress: ReadonlySignal<string> = hash;

/** The current location, read from the address. */
export const location = computed(() => parse(hash.value));

/** The address of a view, for links. Empty values are left out. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const used = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const search = new URLSearchParams(used).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search && `?${search}`}`;
}

export function go(path: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  goTo(href(path, query));
}

/** Goes to an address such as `#/users`. The view changes at once, before the browser's event. */
export function goTo(address: string): void {
  globalThis.location.hash = address;
  hash.value = globalThis.location.hash;
}

/** Changes parameters of the current view without a new entry in the browser's history. An empty one is removed. */
export function refine(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = location.peek();
  history.replaceState(null, "", href(path, { ...query, ...changes }));
  hash.value = globalThis.location.hash;
}

function parse(text: string): Location {
  const [path = "", search = ""] = text.replace(/^#\/?/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

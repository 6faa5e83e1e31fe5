import { isObject } from "../../wire/text/json.ts";

/** A test's changes to what is sent: fields with other values, of other types, added, or left out. */
export interface Edit {
  /** Objects are merged into the present ones; any other value, null too, replaces what is there. */
  readonly set: Readonly<Record<string, unknown>>;
  /** Names of fields that are left out, such as `name` or `data.name`. */
  readonly omit: readonly string[];
}

/** What a request changes. Undefined if it changes nothing. */
export function editOf(
  set: Readonly<Record<string, unknown>> | undefined,
  omit: readonly string[] | undefined,
): Edit | undefined {
  return set || omit ? { set: set ?? {}, omit: omit ?? [] } : undefined;
}

export function edited(value: object, { set, omit }: Edit): Record<string, unknown> {
  return omit.reduce(without, merged(value as Readonly<Record<string, unknown>>, set));
}

/** Every name that an edit changes, for people. */
export function editedNames({ set, omit }: Edit): string {
  return [...Object.keys(set), ...omit.map((name) => `${name} (left out)`)].join(", ");
}

function merged(
  value: Readonly<Record<string, unknown>>,
  set: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const changed = Object.entries(set).map(([name, next]) => {
    const before = value[name];
    return [name, isObject(before) && isObject(next) ? merged(before, next) : next] as const;
  });
  return { ...value, ...Object.fromEntries(changed) };
}

function without(value: Readonly<Record<string, unknown>>, path: string): Record<string, unknown> {
  const [name = "", ...rest] = path.split(".");
  const { [name]: found, ...others } = value;
  return rest.length > 0 && isObject(found) ? { ...value, [name]: without(found, rest.join(".")) } : others;
}

import { isObject } from "../../text/json.ts";
import { notFound, reply, type SimulatedAnswer, type SimulatedProvider } from "./provider.ts";

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

/**
 * A provider's reply as a test changed it. A field that has the name of another endpoint, such as `emails` of GitHub, is that
 * endpoint's reply; all others are fields of the profile, wherever the provider has them.
 */
export function withEdit(
  answer: SimulatedAnswer,
  { endpoints, besideData }: Pick<SimulatedProvider, "endpoints" | "besideData">,
  path: string,
  edit: Edit,
): SimulatedAnswer {
  if (answer.status !== 200) return answer;
  const { authorize: _, token: __, ...resources } = endpoints;
  const [, ...others] = Object.keys(resources);
  const name = Object.keys(resources).find((key) => resources[key] === path) ?? "";
  if (others.includes(name)) {
    if (edit.omit.includes(name)) return notFound();
    return name in edit.set ? reply(200, edit.set[name]) : answer;
  }
  const body = JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
  const own = part(edit, (key) => !others.includes(key));
  if (!besideData) return reply(200, edited(body, own));
  const isBeside = (key: string): boolean => key === "data" || besideData.includes(key);
  const data = edited(
    body["data"] as object,
    part(own, (key) => !isBeside(key)),
  );
  return reply(200, edited({ ...body, data }, part(own, isBeside)));
}

/** @param isIn told the name of a field of the reply itself */
function part({ set, omit }: Edit, isIn: (name: string) => boolean): Edit {
  return {
    set: Object.fromEntries(Object.entries(set).filter(([name]) => isIn(name))),
    omit: omit.filter((path) => isIn(path.split(".", 1)[0]!)),
  };
}

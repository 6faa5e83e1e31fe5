import { isObject } from "../text/json.ts";
import { ServeError } from "../server/errors.ts";
import { apiPathFault, urlFrom } from "../http/address.ts";
import { CONTROL_KEY_PREFIX, credentialKind } from "../wire/ids.ts";
import { noOptions, optionProblem } from "../text/suggestion.ts";

/**
 * Otherwise a misspelt option would be ignored.
 * @param of what takes the options, such as `connect`
 * @param known undefined if the service checks the names
 * @param example a call that is right
 * @throws {ServeError} for missing options, and for an unknown one
 */
export function checkKitOptions(of: string, options: unknown, known?: readonly string[], example?: string): void {
  const missing = noOptions(of, options);
  if (missing !== undefined && example !== undefined) throw new ServeError(`${missing} Write ${example}.`);
  const problem = known ? optionProblem(of, options, known) : missing;
  if (problem !== undefined) throw new ServeError(problem);
}

/**
 * Options whose names the service checks. Anything else would be spread into fields named 0, 1, 2.
 * @throws {ServeError} for what is no object
 */
export function kitOptionsOf<Options>(of: string, options: Options, example: string): Options {
  checkKitOptions(of, options, undefined, `${of}(${example})`);
  return options;
}

/** @throws {ServeError} for an address that is not one of a server, and for what can't be a key; neither is repeated */
export function checkServer({ url, controlKey }: { readonly url: unknown; readonly controlKey: unknown }): void {
  const scheme = (typeof url === "string" && urlFrom(url)?.protocol) || "";
  if (!/^https?:$/.test(scheme))
    throw new ServeError("connect needs url, the address of a running server, such as http://localhost:7820.");
  const fault = apiPathFault(String(url));
  if (fault !== undefined) throw new ServeError(`url ${fault}.`);
  if (typeof controlKey !== "string" || !/^[\x21-\x7e]+$/.test(controlKey))
    throw new ServeError("connect needs controlKey, the control key that svc env prints.");
  const kind = controlKey.startsWith(CONTROL_KEY_PREFIX) ? undefined : credentialKind(controlKey);
  if (kind !== undefined)
    throw new ServeError(`controlKey is ${kind}. Pass the control key that svc env prints, which begins with ctl_.`);
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Changes to fields as the service takes them: JSON has no `undefined`, which leaves a field out here.
 * @param name of the option with the fields, such as `claims`
 */
export function withEdits<Name extends string, Options extends { readonly [Key in Name]?: Fields | undefined }>(
  name: Name,
  options: Options & { readonly omit?: readonly string[] | undefined },
): Options {
  const left = undefinedIn(options[name] ?? {});
  return left.length === 0 ? options : { ...options, omit: [...(options.omit ?? []), ...left] };
}

function undefinedIn(fields: object): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [name];
    return isObject(value) ? undefinedIn(value).map((inner) => `${name}.${inner}`) : [];
  });
}

/** A call whose answer says nothing more. */
export async function done(answer: Promise<unknown>): Promise<void> {
  await answer;
}

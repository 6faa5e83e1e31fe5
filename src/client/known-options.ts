import { optionProblem } from "../wire/text/suggestion.ts";
import { ConfigError } from "./errors.ts";

/** The names of all options. The compiler keeps it complete. */
export type Names<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Otherwise a misspelt option would be ignored, and with it what it protects from.
 * @param of what takes the options, such as `createClient`
 * @param next the options of the argument after the page, if these are of a page
 * @throws {ConfigError} that names the unknown option, and if the options are missing
 */
export function checkNames<Options extends object>(
  of: string,
  options: Options,
  known: Names<Options>,
  next: object = {},
): void {
  const problem = optionProblem(of, options, Object.keys(known));
  if (problem === undefined) return;
  const misplaced = Object.keys(options ?? {}).find((name) => Object.hasOwn(next, name));
  if (misplaced === undefined) throw new ConfigError(problem);
  throw new ConfigError(`Unknown option of ${of}: ${misplaced}. Pass it in the next argument, after the page`);
}

/** Returns the time: a `Date`, or milliseconds since 1970. `() => new Date()`, `Date.now` and a test clock's `now` all fit. */
export type Now = () => Date | number;

/** In milliseconds. @throws {ConfigError} for anything else than a time, by which every token would be current */
export function timeOf(now: Now): number {
  const time = Number(now());
  if (Number.isFinite(time)) return time;
  throw new ConfigError("now must return a Date or milliseconds since 1970, as Date.now and () => new Date() do");
}

/** A program without types may pass anything. @throws {ConfigError} for what is set and is not a function */
export function checkFunctions<Name extends string>(
  options: { readonly [N in Name]?: unknown },
  ...names: readonly Name[]
): void {
  const wrong = names.find((name) => options[name] !== undefined && typeof options[name] !== "function");
  if (wrong !== undefined) throw new ConfigError(`${wrong} must be a function`);
}

import { ServeError } from "../server/index.ts";
import { noOptions, optionProblem } from "../wire/closest.ts";

/**
 * Otherwise a misspelt option would be ignored.
 * @param of what takes the options, such as `connect`
 * @param known undefined if the service checks the names
 * @throws {ServeError} for missing options, and for an unknown one
 */
export function checkOptions(of: string, options: unknown, known?: readonly string[]): void {
  const problem = known ? optionProblem(of, options, known) : noOptions(of, options);
  if (problem !== undefined) throw new ServeError(problem);
}

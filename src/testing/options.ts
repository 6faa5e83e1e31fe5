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

/** @throws {ServeError} for an address that is not one of a server, and for what can't be a key; neither is repeated */
export function checkServer({ url, controlKey }: { readonly url: unknown; readonly controlKey: unknown }): void {
  const scheme = typeof url === "string" && URL.canParse(url) ? new URL(url).protocol : "";
  if (!/^https?:$/.test(scheme))
    throw new ServeError("connect needs url, the address of a running server, such as http://localhost:7820.");
  if (typeof controlKey !== "string" || !/^[\x21-\x7e]+$/.test(controlKey))
    throw new ServeError("connect needs controlKey, which is control_key in the server's file under .svc/.");
}

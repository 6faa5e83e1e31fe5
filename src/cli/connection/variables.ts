import type { RunningServerFile } from "./server-file.ts";

/**
 * The variables by which a program finds a server and an instance of it. `SVC_PROGRAM_URL` is the front door, whose name every
 * program can resolve: most find no subdomain of localhost. The first instance needs no other address.
 */
export function variablesOf(
  server: Pick<RunningServerFile, "url" | "control_key">,
  instance: Pick<RunningServerFile["instances"][number], "url" | "publishable_key" | "secret_key">,
  isFirst: boolean,
): Readonly<Record<string, string>> {
  const { url, control_key } = server;
  return {
    SVC_BASE_URL: isFirst ? url : instance.url,
    SVC_PROGRAM_URL: url,
    SVC_API_URL: url,
    SVC_PUBLISHABLE_KEY: instance.publishable_key,
    SVC_SECRET_KEY: instance.secret_key,
    ...(control_key !== undefined && { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: control_key }),
  };
}

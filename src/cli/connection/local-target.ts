import { CliError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import type { RunningServerFile } from "./server-file.ts";
import type { Target } from "./sources.ts";

/** The server of this directory as a target. @param explicit what flags and the environment set */
export function ofServer(server: RunningServerFile, explicit: Target, wanted: string | undefined): Target {
  const given = explicit.secret_key;
  // A key from a file or a command belongs to another service.
  const key = typeof given?.value === "string" ? given.value : undefined;
  const instance =
    key === undefined ? chooseInstance(server, wanted) : server.instances.find(({ secret_key }) => secret_key === key);
  if (!instance || (given !== undefined && key === undefined))
    throw new CliError(
      EXIT.noKey,
      `${given!.source} does not belong to the server at ${server.url}.`,
      "Unset it to use that server's own key, or set SVC_BASE_URL to the service that it belongs to.",
    );
  if (wanted !== undefined && !namesOf(instance).includes(wanted))
    throw new CliError(
      EXIT.usage,
      `SVC_SECRET_KEY is the key of "${instance.subdomain}", not of "${wanted}".`,
      "Unset it, or omit --instance.",
    );
  const source = "the local server";
  return {
    base_url: { value: instance.url, source },
    api_url: { value: server.api_url, source },
    publishable_key: { value: instance.publishable_key, source },
    secret_key: { value: instance.secret_key, source: given?.source ?? source },
    redirect_uris: instance.redirect_uris,
    server,
  };
}

/** The instance with this name, or the first one. @throws {CliError} */
export function chooseInstance(
  { instances, url }: RunningServerFile,
  wanted: string | undefined,
): RunningServerFile["instances"][number] {
  if (wanted === undefined) {
    const [first] = instances;
    if (!first) throw new CliError(EXIT.failed, `The server at ${url} has no instance.`);
    return first;
  }
  if (wanted === "") throw new CliError(EXIT.usage, "--instance is empty.", "Check that the variable is set.");
  const found = instances.find((instance) => namesOf(instance).includes(wanted));
  if (!found)
    throw new CliError(
      EXIT.usage,
      `The server at ${url} has no instance "${wanted}".`,
      `It has ${instances.map(({ subdomain }) => subdomain).join(", ")}.`,
    );
  return found;
}

/** What `--instance` may call it. */
export function namesOf({ id, subdomain, publishable_key }: RunningServerFile["instances"][number]): string[] {
  return [id, subdomain, publishable_key];
}

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

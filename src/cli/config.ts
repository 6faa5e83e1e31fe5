import type { ClientOptions } from "../client/client.ts";
import type { Context } from "./context.ts";
import { CliError, EXIT } from "./errors.ts";
import { findRunningServer, type RunningServerFile } from "./running-server.ts";

/** The flags that every command takes. */
export interface GlobalFlags {
  readonly json?: boolean;
  readonly instance?: string;
  readonly baseUrl?: string;
  readonly apiUrl?: string;
}

/**
 * Whom to ask, and with which key: a flag, then `SVC_*`, then the server that runs in this directory or above.
 * A key is only ever sent to the service that it was given for.
 */
export async function clientOptions(context: Context, flags: GlobalFlags): Promise<ClientOptions> {
  const { fetch } = context;
  // CI systems set a variable without a value to nothing.
  const variable = (name: string): string | undefined => context.env[name] || undefined;
  const baseUrl = flags.baseUrl ?? variable("SVC_BASE_URL");
  const apiUrl = flags.apiUrl ?? variable("SVC_API_URL");
  const given = {
    secretKey: variable("SVC_SECRET_KEY"),
    publishableKey: variable("SVC_PUBLISHABLE_KEY"),
    baseUrl,
    apiUrl,
  };
  refuseOtherOrigin(given.secretKey, flags.baseUrl, variable("SVC_BASE_URL"));
  const shared = { ...defined(given), ...(fetch && { fetch }) };
  if (baseUrl !== undefined || apiUrl !== undefined) {
    if (flags.instance !== undefined)
      throw new CliError(
        EXIT.usage,
        "--instance chooses among a local server's instances, and an address is given.",
        "Leave out --instance, or unset SVC_BASE_URL and SVC_API_URL.",
      );
    return shared;
  }

  const server = await findRunningServer(context.cwd);
  if (!server) throw noService(given.secretKey !== undefined);
  const instance =
    given.secretKey === undefined
      ? chooseInstance(server, flags.instance)
      : server.instances.find(({ secret_key }) => secret_key === given.secretKey);
  if (!instance)
    throw new CliError(
      EXIT.noKey,
      `SVC_SECRET_KEY is no key of the server at ${server.url}.`,
      "Unset it to use that server's own, or name the service it belongs to in SVC_BASE_URL.",
    );
  if (flags.instance !== undefined && !namesOf(instance).includes(flags.instance))
    throw new CliError(
      EXIT.usage,
      `SVC_SECRET_KEY is the key of "${instance.subdomain}", not of "${flags.instance}".`,
      "Unset it, or leave out --instance.",
    );
  return {
    ...shared,
    secretKey: instance.secret_key,
    publishableKey: instance.publishable_key,
    baseUrl: instance.url,
    apiUrl: server.api_url,
    ...(server.certificate !== undefined && { certificate: server.certificate }),
  };
}

/** The same for a command that needs a secret key. */
export async function keyedClientOptions(context: Context, flags: GlobalFlags): Promise<ClientOptions> {
  const options = await clientOptions(context, flags);
  if (options.secretKey === undefined)
    throw new CliError(EXIT.noKey, "There is no secret key for this service.", "Put it in SVC_SECRET_KEY.");
  return options;
}

function chooseInstance(
  { instances, url }: RunningServerFile,
  wanted: string | undefined,
): RunningServerFile["instances"][number] {
  if (wanted === undefined) {
    const [first] = instances;
    if (!first) throw new CliError(EXIT.failed, `The server at ${url} has no instance.`);
    return first;
  }
  const found = instances.find((instance) => namesOf(instance).includes(wanted));
  if (!found)
    throw new CliError(
      EXIT.notFound,
      `The server at ${url} has no instance "${wanted}".`,
      `It has ${instances.map(({ subdomain }) => subdomain).join(", ")}.`,
    );
  return found;
}

function namesOf({ id, subdomain, publishable_key }: RunningServerFile["instances"][number]): string[] {
  return [id, subdomain, publishable_key];
}

/** A key in the environment beside an address is that address's. */
function refuseOtherOrigin(key: string | undefined, flag: string | undefined, own: string | undefined): void {
  if (key === undefined || flag === undefined || own === undefined || originOf(flag) === originOf(own)) return;
  throw new CliError(
    EXIT.usage,
    "--base-url names another service than SVC_BASE_URL, whose key SVC_SECRET_KEY is.",
    "Set both variables for the service that you mean.",
  );
}

function noService(hasKey: boolean): CliError {
  if (hasKey)
    return new CliError(
      EXIT.usage,
      "Which service is SVC_SECRET_KEY for?",
      "Set SVC_BASE_URL to the address of your instance.",
    );
  return new CliError(
    EXIT.noKey,
    "No service to ask: none runs in this directory, and SVC_BASE_URL is not set.",
    "Start a local one with: svc serve",
  );
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

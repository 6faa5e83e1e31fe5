import type { ServeOptions } from "../../../server/index.ts";
import { isLoopback } from "../../../wire/loopback.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";

/**
 * Checks where a `svc.config.json` that was not named by `--config` sends the secrets of the environment and the store:
 * it may have come with a repository of someone else.
 * @throws {CliError} unless it is to loopback or to the providers' own hosts
 */
export async function checkFoundConfig(path: string, { credentials = {} }: ServeOptions): Promise<void> {
  if (!Object.values(credentials).some(({ endpoints }) => endpoints)) return;
  const { foreignHosts } = await import("../../../server/index.ts");
  const hosts = await foreignHosts(credentials);
  if (hosts.length > 0) throw untrusted(path, "provider credentials", hosts.join(" and "));
}

/** The same for the store's address in that file. @throws {CliError} if another host would get `PGPASSWORD` */
export function checkFoundStore(path: string, store: string, { env }: Pick<Context, "env">): void {
  if (!env["PGPASSWORD"] || !/^postgres(ql)?:/i.test(store)) return;
  // An address with several hosts and ports is not a URL.
  const url = URL.canParse(store) ? new URL(store) : undefined;
  const host = url?.searchParams.get("host") ?? url?.hostname ?? "several hosts";
  if (url?.password || host === "" || isLoopback(host)) return;
  throw untrusted(path, "PGPASSWORD", host);
}

function untrusted(path: string, secrets: string, host: string): CliError {
  return new CliError(
    EXIT.usage,
    `${path} sends ${secrets} to ${host}. svc found this file by itself. If you trust it, name it with --config.`,
  );
}

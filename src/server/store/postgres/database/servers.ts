import type { Address } from "./address.ts";
import { connect, SEARCH_PATH, type Endpoint } from "./connection.ts";
import { isLoginRefused, isPoolersRefusal, withinTime } from "./failures.ts";

interface State {
  readonly search_path: string;
  readonly writable: boolean;
}

/** A server that answered, but can't be used. */
class NotWritable extends Error {
  readonly code = "25006";
}

/**
 * The first of the address's hosts that accepts the login and, if the address requires that, writes. Like libpq, it tries
 * the next host unless one rejects the login.
 */
export async function findServer(address: Address): Promise<Endpoint> {
  const failures: { host: string; error: unknown }[] = [];
  for (const host of address.hosts) {
    try {
      return await reach(address, { host, isPooler: false });
    } catch (error) {
      if (address.hosts.length === 1 || isLoginRefused(error)) throw error;
      failures.push({ host: `${host.host}:${host.port}`, error });
    }
  }
  const text = failures.map(({ host, error }) => `${host}: ${(error as Error).message}`).join("; ");
  throw Object.assign(new Error(`no host can be used (${text})`), { code: codeOfAll(failures) });
}

async function reach(address: Address, endpoint: Endpoint): Promise<Endpoint> {
  const asPooler = { ...endpoint, isPooler: true };
  let state: State;
  try {
    state = await ask(address, endpoint);
  } catch (error) {
    if (endpoint.isPooler || !isPoolersRefusal(error)) throw error;
    return reach(address, asPooler);
  }
  // A pooler can also be configured to drop unknown parameters.
  if (!endpoint.isPooler && state.search_path !== SEARCH_PATH) return reach(address, asPooler);
  if (address.target === "read-write" && !state.writable) throw new NotWritable("it is a standby, or set to read only");
  return endpoint;
}

async function ask(address: Address, endpoint: Endpoint): Promise<State> {
  const client = await connect(address, endpoint);
  try {
    const answer = client.unsafe<State[]>(
      `SELECT pg_catalog.current_setting('search_path') AS search_path,
         pg_catalog.current_setting('transaction_read_only') OPERATOR(pg_catalog.=) 'off' AS writable`,
    );
    const [state] = await withinTime(answer, address.limits.connectTimeoutMs);
    return state!;
  } finally {
    void client.end({ timeout: 0 }).catch(() => {});
  }
}

/** If all hosts fail alike, that code, so that advice and retries match it. */
function codeOfAll(failures: readonly { error: unknown }[]): string {
  const codes = new Set(failures.map(({ error }) => (error as { code?: string }).code ?? ""));
  return codes.size === 1 ? [...codes][0]! : "ECONNREFUSED";
}

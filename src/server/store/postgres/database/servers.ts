import type { Address } from "./address.ts";
import type { DatabaseClock } from "./clock.ts";
import { areApplied, connect, readSettings, type Endpoint } from "./connection.ts";
import { checkEngine, READ_VERSION } from "./engine.ts";
import { isLoginRefused, isParameterRefused, NotWritable, withinTime } from "./failures.ts";
import { READ_STATE, type ServerState } from "./server-state.ts";

/** A server that can be used. */
export interface Found {
  readonly endpoint: Endpoint;
  readonly state: ServerState;
}

/**
 * The first of the address's hosts that accepts the login and, if the address requires that, writes. Like libpq, it tries
 * the next host unless one rejects the login.
 */
export async function findServer(address: Address, clock: DatabaseClock): Promise<Found> {
  const failures: { host: string; error: unknown }[] = [];
  for (const host of address.hosts) {
    try {
      return await reach(address, clock, { host, isPooler: false });
    } catch (error) {
      if (address.hosts.length === 1 || isLoginRefused(error)) throw error;
      failures.push({ host: `${host.host}:${host.port}`, error });
    }
  }
  const text = failures.map(({ host, error }) => `${host}: ${(error as Error).message}`).join("; ");
  throw Object.assign(new Error(`no host can be used (${text})`), { code: codeOfAll(failures) });
}

async function reach(address: Address, clock: DatabaseClock, endpoint: Endpoint): Promise<Found> {
  const asPooler = { ...endpoint, isPooler: true };
  let state: Asked;
  try {
    state = await ask(address, clock, endpoint);
  } catch (error) {
    if (endpoint.isPooler || !isParameterRefused(error)) throw error;
    return reach(address, clock, asPooler);
  }
  // A pooler can also be configured to drop parameters: some of them, or all.
  if (!endpoint.isPooler && !state.hasSettings) return reach(address, clock, asPooler);
  if (address.target === "read-write" && !state.writable) throw new NotWritable("it is a standby, or set to read only");
  return { endpoint, state };
}

interface Asked extends ServerState {
  /** Whether the connection has the settings that it was opened with. */
  readonly hasSettings: boolean;
}

async function ask(address: Address, clock: DatabaseClock, endpoint: Endpoint): Promise<Asked> {
  const client = await connect(address, endpoint);
  const { connectTimeoutMs } = address.limits;
  try {
    const [engine] = await withinTime(client.unsafe<{ version: string }[]>(READ_VERSION), connectTimeoutMs);
    checkEngine(engine!.version);
    const asked = performance.now();
    const settings = client.unsafe<Record<string, string>[]>(readSettings(address));
    const answers = Promise.all([client.unsafe<ServerState[]>(READ_STATE), settings]);
    const [[state], [found]] = await withinTime(answers, connectTimeoutMs);
    clock.note(state!.moment, asked);
    return { ...state!, hasSettings: areApplied(address, found!) };
  } finally {
    void client.end({ timeout: 0 }).catch(() => {});
  }
}

/** If all hosts fail alike, that code, so that advice and retries match it. */
function codeOfAll(failures: readonly { error: unknown }[]): string {
  const codes = new Set(failures.map(({ error }) => (error as { code?: string }).code ?? ""));
  return codes.size === 1 ? [...codes][0]! : "ECONNREFUSED";
}

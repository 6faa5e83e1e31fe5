// Below the faces: a command runs in this process, with a terminal, a clock and a network that a test decides.
import { choicesOf } from "../src/cli/choices.ts";
import { createNetwork } from "../src/cli/connection/network.ts";
import type { Context, Keyring, Stream, World } from "../src/cli/context.ts";
import { main } from "../src/cli/main.ts";
import type { Fetch, FetchInit, FetchResponse } from "../src/http/fetch.ts";
import { identityAnswer } from "./_server-file.ts";
import { START, type Service } from "./_setup.ts";

type Terminal = "stdin" | "stdout" | "stderr";
type Signal = "SIGINT" | "SIGTERM";

export interface CliOptions {
  /** The service to ask. The environment has acme's key and address unless `env` removes them. */
  service?: Service;
  env?: Record<string, string | undefined>;
  /** Whether all three streams are a terminal, or which of them. */
  tty?: boolean | readonly Terminal[];
  columns?: number;
  stdin?: string | AsyncIterable<Buffer>;
  /** The user's answer. By default no question is allowed. */
  confirm?: (question: string) => boolean;
  /** The texts that the user types, in order. */
  answers?: readonly string[];
  keyring?: Keyring;
  /** The same, by question. By default no question is allowed. */
  ask?: (question: string) => string;
  cwd?: string;
  /** Replaces the service's `fetch`; by default there is no network. */
  fetch?: Fetch;
  /** Sends its requests as the command does, to servers that run. */
  isOnline?: boolean;
  openBrowser?: (url: string) => Promise<void>;
  /** The signal that the command receives, at once or when this resolves; by default none. */
  signal?: Signal | Promise<Signal>;
}

export interface SentRequest extends FetchInit {
  readonly url: string;
}

export interface TestContext extends World, Context {
  readonly written: Record<"stdout" | "stderr", string>;
  /** The requests to the service. */
  readonly requests: SentRequest[];
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly SentRequest[];
}

/** A command's context whose streams are buffers. */
export function createContext(options: CliOptions = {}): TestContext {
  const { service, tty = false, stdin = "", cwd = "/nowhere" } = options;
  const written = { stdout: "", stderr: "" };
  const requests: SentRequest[] = [];
  const answers = [...(options.answers ?? [])];
  const unasked = (question: string): never => {
    throw new Error(`unexpected question: ${question}`);
  };
  const isTTY = (name: Terminal): boolean => (typeof tty === "boolean" ? tty : tty.includes(name));
  const stream = (name: "stdout" | "stderr"): Stream => ({
    write: (text) => (written[name] += text),
    isTTY: isTTY(name),
    columns: options.columns ?? 200,
  });
  const send = options.fetch ?? (service && (service.fetch as unknown as Fetch)) ?? noNetwork;
  const answer: Fetch = (url, init) => {
    // Local servers in these tests exist only as files.
    const proof = identityAnswer(url);
    if (proof) return Promise.resolve(Response.json(proof) as unknown as FetchResponse);
    requests.push({ url, ...init });
    return send(url, init);
  };
  const world: Omit<TestContext, "network" | "choices"> = {
    written,
    requests,
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    stdin: Object.assign(typeof stdin === "string" ? chunks(stdin) : stdin, { isTTY: isTTY("stdin") }),
    env: { SVC_DATA_DIR: process.env["SVC_DATA_DIR"], ...(service && environmentOf(service)), ...options.env },
    cwd,
    fetch: options.isOnline ? undefined : answer,
    now: service?.clock.now ?? (() => START),
    openBrowser: options.openBrowser ?? (() => Promise.reject(new Error("there is no browser"))),
    async confirm(question) {
      return options.confirm ? options.confirm(question) : unasked(question);
    },
    ask: async (question) => (options.ask ? options.ask(question) : (answers.shift() ?? unasked(question))),
    askSecret: async (question) => answers.shift() ?? unasked(question),
    openKeyring: () => (options.keyring ? Promise.resolve(options.keyring) : Promise.reject(new Error("no daemon"))),
    untilSignal: () => Promise.resolve(options.signal ?? new Promise<never>(() => {})),
    outliveOutput: () => {},
    onLostOutput: () => {},
    endSoon: () => {},
  };
  return { ...world, network: createNetwork(world), choices: choicesOf(world) };
}

/** A keyring without a daemon. */
export function memoryKeyring(): Keyring & { entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get: async (account) => entries.get(account),
    set: async (account, secret) => void entries.set(account, secret),
    delete: async (account) => entries.delete(account),
  };
}

/** The `svc` command in this process. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const context = createContext(options);
  const code = await main(argv, context);
  return { code, ...context.written, requests: context.requests };
}

function environmentOf({ acme, addresses }: Service): Record<string, string> {
  return { SVC_SECRET_KEY: acme.secret_key, SVC_BASE_URL: addresses.front };
}

async function* chunks(text: string): AsyncIterable<string> {
  if (text !== "") yield text;
}

const noNetwork: Fetch = () => Promise.reject(new Error("there is no network in tests"));

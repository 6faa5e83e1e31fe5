import type { Choices } from "./choices.ts";
import type { Fetch, FetchInit, FetchResponse } from "../http/fetch.ts";
import type { ExitCode } from "./errors.ts";

/** Something to write to; whether it is a terminal decides how. */
export interface Stream {
  write(text: string): unknown;
  readonly isTTY: boolean;
  readonly columns?: number | undefined;
  /** Resolves when more can be written: true, or false if the reader has gone. */
  ready?(): Promise<boolean>;
  /** Bytes that were written and wait for the reader. */
  readonly unread?: number;
}

/** The system's keyring. Every call fails if there is none. */
export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  delete(account: string): Promise<unknown>;
}

/** What the last request of a run came to, for an error to say more than the client can. */
export interface Exchange {
  readonly url: string;
  /** How long an answer was waited for. */
  readonly timeoutMs: number;
  readonly response?: FetchResponse;
  /** The proxy that it went through. */
  readonly proxy?: string | undefined;
  /** The secret key that it carried, masked, and where that comes from. */
  readonly key?: string | undefined;
}

/** An instance as its service names it. */
export interface NamedInstance {
  readonly subdomain: string;
  readonly id: string;
}

export interface Reach {
  /** One to trust besides the known authorities', in PEM. */
  readonly certificate?: string | undefined;
  /** The limit that the caller sets, for the message if there is no answer. */
  readonly timeoutMs: number;
  /** Where the secret key comes from, for the message if it is refused. */
  readonly keySource?: string | undefined;
}

/** How one run of a command reaches services. */
export interface Network {
  readonly last: Exchange | undefined;
  /** The instance of the key, as the last answer named it. Undefined if that did not. */
  readonly instance: NamedInstance | undefined;
  /** How many requests other than reads a service has carried out. */
  readonly changes: number;
  /** Sends a request once. No redirect is followed. */
  send(url: string, init: FetchInit, reach: Reach): Promise<FetchResponse>;
  /** Aborts at its end. */
  readonly signal: AbortSignal;
  /** Ends what is left of its connections and time limits, with the command. */
  end(): void;
}

/** What a command acts on. */
export interface Needs {
  /**
   * `instance`: one of a service. `server`: all of a server. `either`: the instance that was chosen, else all of a server. `own`: a
   * server that it starts itself. `profile`: what is stored of a service, not the service.
   */
  readonly on: "instance" | "server" | "either" | "store" | "own" | "profile" | "nothing";
  /** Whether it changes something there. */
  readonly changes?: true;
  /** Whether it sends nothing: a local server whose process lives is then taken for running. */
  readonly sendsNothing?: true;
}

/** What commands are made with: the world, and the network of this run in the place of the world's. */
export interface Surroundings extends Omit<World, "fetch"> {
  readonly network: Network;
}

/** What a command works with. */
export interface Context extends Surroundings {
  /** What chooses its target: the only way to a server. */
  readonly choices: Choices;
  /** What it acts on. */
  readonly needs?: Needs;
}

/** A command's connection to the system. `main.ts` creates the real one, and tests create their own. */
export interface World {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly stdin: AsyncIterable<Buffer | string> & { readonly isTTY: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly fetch?: Fetch | undefined;
  now(): Date;
  openBrowser(url: string): Promise<void>;
  /** Asks a person yes or no. Only to be called if `isInteractive`. */
  confirm(question: string): Promise<boolean>;
  /** Asks a person for a line of text. Only to be called if `isInteractive`. */
  ask(question: string): Promise<string>;
  /** The same, and shows nothing of what is typed. */
  askSecret(question: string): Promise<string>;
  openKeyring(): Promise<Keyring>;
  /** Resolves when the process is asked to end, with the signal's name. SIGHUP, of a closed terminal, counts as SIGTERM. */
  untilSignal(): Promise<"SIGINT" | "SIGTERM">;
  /** From now on, what can't be written to stdout or stderr is dropped. Without it, that ends the process. */
  outliveOutput(): void;
  /** Says what it means that stdout can't be written. @param explain is given the system's code; returns the exit code */
  onLostOutput(explain: (code: string) => ExitCode): void;
  /** Ends the process in two seconds, even if nothing reads what it has written. @param exitCode unless the command returns one */
  endSoon(exitCode?: ExitCode): void;
}

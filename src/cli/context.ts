import type { Fetch } from "../wire/fetch.ts";

/** Somewhere to write; whether it is a terminal decides how. */
export interface Stream {
  write(text: string): unknown;
  /** Resolves when there is room for more; rejects when the reader has gone. */
  drained?(): Promise<void>;
  readonly isTTY: boolean;
  /** The terminal's width. */
  readonly columns?: number | undefined;
}

/** All that a command knows of the world. The real one is made in `main.ts`; tests make their own. */
export interface Context {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly stdin: AsyncIterable<Buffer | string> & { readonly isTTY: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** In place of the network. */
  readonly fetch?: Fetch | undefined;
  now(): Date;
  openBrowser(url: string): Promise<void>;
  /** Asks a person yes or no. Only to be called where `isInteractive`. */
  confirm(question: string): Promise<boolean>;
  /** Resolves when the process is asked to end, with the signal's name. */
  untilSignal(): Promise<"SIGINT" | "SIGTERM">;
}

/** Whether a person is there to answer: a prompt without one would wait for ever, or be answered by accident. */
export function isInteractive({ stdin, stderr, env }: Context): boolean {
  return stdin.isTTY && stderr.isTTY && !env["CI"] && !env["SVC_NO_INPUT"];
}

export async function readStdin({ stdin }: Context): Promise<string> {
  let text = "";
  for await (const chunk of stdin) text += chunk.toString();
  return text;
}

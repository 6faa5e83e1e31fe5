import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { InstanceRecord } from "../../src/server/store/records.ts";

const SCRIPT = `
import { createInterface } from "node:readline";
import { serve } from "svc-identity/server";
const warnings = [];
let server;
for await (const line of createInterface({ input: process.stdin })) {
  let refusal;
  try {
    if (line === "serve") server = await serve({ store: process.argv[1], port: 0, warn: (text) => warnings.push(text) });
    if (line === "close") await server?.close().finally(() => (server = undefined));
  } catch ({ name, reason, message }) {
    refusal = { name, reason, message };
  }
  const { port, instances } = server ?? {};
  console.log(JSON.stringify({ pid: process.pid, url: "http://127.0.0.1:" + port, instances, warnings, refusal }));
}
process.exit();
`;

export interface Answer {
  readonly pid: number;
  readonly url: string;
  readonly instances: readonly InstanceRecord[];
  readonly warnings: readonly string[];
  /** Why the command failed. */
  readonly refusal?: { readonly name: string; readonly reason?: string; readonly message: string };
}

interface OtherProcess {
  ask(command: "serve" | "close" | "report"): Promise<Answer>;
  /** Kills it with SIGKILL, without any cleanup. */
  kill(): Promise<void>;
}

/** Another process that runs the built package and can serve a store; `under` is a command that runs it. */
export async function startProcess(store: string, under: readonly string[] = []): Promise<OtherProcess> {
  const [command, ...args] = [...under, process.execPath, "--input-type=module", "-e", SCRIPT, store];
  const child = spawn(command!, args, { cwd: new URL("../..", import.meta.url), stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask: OtherProcess["ask"] = async (line) => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await output.next();
    if (done) throw new Error("the other process has ended");
    return JSON.parse(value) as Answer;
  };
  const { pid } = await ask("report");
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, "SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  return { ask, kill };
}

// Below the faces: the commands find a store that no server has opened.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import { openFileStore } from "../src/server/store/file/file-store.ts";
import type { Store } from "../src/server/store/store.ts";
import { runCli, type CliOptions, type CliResult } from "./_cli.ts";
import { temporaryDirectory } from "./_files.ts";
import { people, state } from "./store/_records.ts";

export let cwd: string;

/** Gives each test of a file a directory. */
export function useDirectory(): void {
  beforeEach(() => {
    cwd = temporaryDirectory();
  });
}

export const at = (name: string): string => join(cwd, name);

export const svc = (line: string, options: CliOptions = {}): Promise<CliResult> =>
  runCli(["store", ...line.split(" ")], { cwd, ...options, env: { SVC_STORE: "data/db.json", ...options.env } });

/** A store that no server has open. */
export async function makeStore(name = "data/db.json"): Promise<string> {
  const store = await open(name);
  await store.seed(people());
  await store.saveState(state(1));
  await store.close();
  return at(name);
}

export async function open(name = "data/db.json"): Promise<Store> {
  const store = await openFileStore(at(name), { warn: () => {} });
  onTestFinished(() => store.close());
  return store;
}

export const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

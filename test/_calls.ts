import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

/** How often each function was called, as V8 counted. */
export interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

/** Calls by the package that the function comes from. */
export type Calls = ReadonlyMap<string, number>;

/**
 * The calls that processes made into packages, bundled or not. What a package calls while it is loaded does not count.
 * @param directories that the processes were given as NODE_V8_COVERAGE
 */
export async function callsOf(directories: readonly string[]): Promise<Calls[]> {
  const all = await Promise.all(
    directories.map(async (directory) =>
      (await scriptsIn(directory)).filter(({ url }) => /\/(?:dist|node_modules)\//.test(url)),
    ),
  );
  const urls = new Set(all.flat().map(({ url }) => url));
  const loading = await countsOfLoading(urls, `${directories[0]}-loading`);
  return Promise.all(all.map((scripts) => callsBeyond(loading, scripts)));
}

async function callsBeyond(loading: ReadonlyMap<string, number>, scripts: readonly Script[]): Promise<Calls> {
  const calls = new Map<string, number>();
  for (const { url, functions } of scripts) {
    const packageAt = await packagesOf(url);
    for (const { ranges } of functions) {
      const { startOffset, endOffset, count } = ranges[0]!;
      const made = count - (loading.get(keyOf(url, startOffset, endOffset)) ?? 0);
      const name = made > 0 ? packageAt(startOffset) : undefined;
      if (name !== undefined) calls.set(name, (calls.get(name) ?? 0) + made);
    }
  }
  return calls;
}

/** The package that a path is of. */
export function packageOf(path: string): string | undefined {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
}

async function scriptsIn(directory: string): Promise<Script[]> {
  const files = await readdir(directory);
  const reports = await Promise.all(files.map((file) => readFile(`${directory}/${file}`, "utf8")));
  return reports.flatMap((text) => (JSON.parse(text) as { result: Script[] }).result);
}

/** Counts what is called by a process that loads the same files and does nothing else. */
async function countsOfLoading(urls: Iterable<string>, directory: string): Promise<Map<string, number>> {
  await mkdir(directory);
  const load = "for (const url of process.argv.slice(1)) await import(url)";
  const child = spawn(process.execPath, ["--input-type=module", "-e", load, "--", ...urls], {
    env: { NODE_V8_COVERAGE: directory, NODE_DISABLE_COMPILE_CACHE: "1" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`loading the files ended with ${code}`);
  const counts = new Map<string, number>();
  for (const { url, functions } of await scriptsIn(directory))
    for (const { ranges } of functions) {
      const { startOffset, endOffset, count } = ranges[0]!;
      counts.set(keyOf(url, startOffset, endOffset), count);
    }
  return counts;
}

function keyOf(url: string, start: number, end: number): string {
  return `${url} ${start} ${end}`;
}

/** Tells the package of what begins at a place of a file: by its source map, if it was bundled. */
async function packagesOf(url: string): Promise<(offset: number) => string | undefined> {
  if (packageOf(url) !== undefined) return () => packageOf(url);
  const path = fileURLToPath(url);
  // What the bundler itself adds has none.
  if (!existsSync(`${path}.map`)) return () => undefined;
  const text = await readFile(path, "utf8");
  const map = new SourceMap(JSON.parse(await readFile(`${path}.map`, "utf8")) as SourceMapPayload);
  const lineEnds = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    const next = lineEnds.findIndex((end) => end >= offset);
    const line = next < 0 ? lineEnds.length : next;
    const entry = map.findEntry(line, offset - (line === 0 ? 0 : lineEnds[line - 1]! + 1));
    return "originalSource" in entry ? packageOf(entry.originalSource) : undefined;
  };
}

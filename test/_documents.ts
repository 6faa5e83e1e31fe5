import { spawn } from "node:child_process";
import { runningIn } from "./_server-file.ts";
import { once } from "node:events";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "./_files.ts";
import { pageTexts } from "./_pages.ts";
import { BIN, ROOT } from "./_paths.ts";
import { serveHere } from "./_serving.ts";

/** A block of code in a page. */
export interface Block {
  readonly page: string;
  /** The title of the section, of the second level, that it is in. */
  readonly section: string;
  /** The page, the block's number in it, and how it starts. */
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

export const blocks: readonly Block[] = (await pageTexts()).flatMap(([page, text]) =>
  [...text.matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm)].map(({ index, 1: language = "", 2: code = "" }, n) => ({
    page,
    section: [...text.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? "",
    name: `${page}, block ${n + 1}: ${code.trim().split("\n")[0]}`,
    language,
    code: code.trim(),
  })),
);

/** An application that has the package installed, with `npx svc-identity` as the command. */
export async function installed(): Promise<string> {
  const directory = temporaryDirectory();
  const modules = join(directory, "node_modules");
  await mkdir(modules);
  for (const name of ["@types", "express", "jose", "undici", "undici-types", "srvx", "vitest"])
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  await symlink(ROOT, join(modules, "svc-identity"));
  await mkdir(join(directory, "bin"));
  await writeFile(
    join(directory, "bin/npx"),
    `#!/bin/sh\n[ "$1" = svc-identity ] || exit 1\nshift\nexec '${BIN}' "$@"\n`,
  );
  await writeFile(join(directory, "bin/npm"), "#!/bin/sh\n[ $1 = i ] || [ $1 = pkg ] || [ $1 = test ]\n");
  for (const name of ["npx", "npm"]) await chmod(join(directory, "bin", name), 0o755);
  return directory;
}

/** A browser's cookies: by host, values by names. */
export type Jars = Map<string, Map<string, string>>;

/** Follows redirects like a browser, with cookies by host, and chooses Ada. */
export async function browse(address: string, jars: Jars = new Map()): Promise<string> {
  const url = new URL(address);
  if (url.pathname.endsWith("/authorize")) url.searchParams.set("login_hint", "ada@acme.test");
  const jar = jars.get(url.host) ?? new Map<string, string>();
  jars.set(url.host, jar);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const response = await fetch(url, { redirect: "manual", headers: { cookie } });
  for (const [, name, value] of response.headers.getSetCookie().map((set) => /^([^=]+)=([^;]*)/.exec(set)!))
    jar.set(name!, value!);
  const location = response.headers.get("location");
  return location === null ? response.text() : browse(new URL(location, url).href, jars);
}

export interface Running {
  readonly output: () => string;
  readonly until: (pattern: RegExp) => Promise<string>;
  readonly code: Promise<number | null>;
}

/** Runs a command there, with its `bin` first in the PATH, until it exits or the test ends. */
export function run(directory: string, command: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(command[0]!, command.slice(1), {
    cwd: directory,
    env: {
      PATH: `${directory}/bin:${process.env["PATH"]}`,
      HOME: directory,
      SVC_DATA_DIR: process.env["SVC_DATA_DIR"],
      SVC_PORT: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = (): void => {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // It has exited.
    }
  };
  onTestFinished(stop);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = once(child, "close").then(([status]) => status as number | null);
  return {
    code,
    output: () => output,
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(output)?.[1];
        if (found !== undefined) return found;
        const ended = await Promise.race([code.then(() => true), once(child.stdout, "data").then(() => false)]);
        if (ended && !pattern.test(output)) throw new Error(output);
      }
    },
  };
}

/** A server in that directory, and its output of `svc env`. */
export async function serving(directory: string): Promise<Record<string, string>> {
  await serveHere(["--store", "memory"], { cwd: directory });
  const { url, control_key, instances } = runningIn(directory);
  const control = { SVC_CONTROL_URL: url, SVC_CONTROL_KEY: control_key! };
  return { SVC_BASE_URL: url, SVC_API_URL: url, SVC_SECRET_KEY: instances[0]!.secret_key, ...control };
}

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
  /** Whether a service was asked. */
  readonly isAsked: boolean;
}

type Variables = Record<string, string | undefined>;
export type Svc = (words: string[], stdin: string, env: Variables) => Promise<Printed>;

/** A word, quoted as in bash, or what joins commands. */
const WORD = /(?:\$'(?:[^'\\]|\\.)*'|'[^']*'|"[^"]*"|[^\s'"|<>])+|<<<|[|<>]/g;

/** A shell of a directory, with `svc` and what stands beside it in transcripts. @param env changed by `export` and `unset` */
export function shellIn(cwd: string, env: Variables, svc: Svc): (typed: string) => Promise<Printed> {
  const read = (name: string): Promise<string> => readFile(join(cwd, name), "utf8");
  const programs: Record<string, (words: string[], stdin: string) => string | Promise<string>> = {
    printf: ([text = ""]) => unescaped(text),
    cat: async (names) => (await Promise.all(names.map(read))).join(""),
    ls: async () => listed((await readdir(cwd)).filter((name) => !name.startsWith("."))),
    sort: (_, stdin) => listed(stdin.split("\n").slice(0, -1)),
    sed: async ([text = "", name = ""]) => {
      const [, from = "", to = ""] = text.split("/");
      return (await read(name)).replace(from, () => to);
    },
    export: (words) => (Object.assign(env, Object.fromEntries(words.map(pair))), ""),
    unset: (words) => (Object.assign(env, Object.fromEntries(words.map((name) => [name, undefined]))), ""),
  };

  return async (typed) => {
    const words: string[] = [...(typed.match(WORD) ?? [])];
    let last: Printed = { stdout: "", stderr: "", code: 0, isAsked: false };
    let stderr = "";
    while (words.length > 0) {
      const end = words.indexOf("|");
      const command = words.splice(0, end < 0 ? words.length : end + 1).filter((word) => word !== "|");
      const behind = (mark: string): string | undefined =>
        command.includes(mark) ? unquoted(command.splice(command.indexOf(mark), 2)[1]!) : undefined;
      const [source, text, target] = [behind("<"), behind("<<<"), behind(">")];
      const stdin = source === undefined ? (text === undefined ? last.stdout : `${text}\n`) : await read(source);
      const first = command.findIndex((word) => !/^\w+=/.test(word));
      const own = Object.fromEntries(command.splice(0, first).map((word) => pair(unquoted(word))));
      const [name = "", ...given] = command.map(unquoted);
      last =
        name === "svc"
          ? await svc(given, stdin, { ...env, ...own })
          : { ...last, code: 0, stdout: await programs[name]!(given, stdin), stderr: "" };
      stderr += last.stderr;
      if (target !== undefined) {
        await writeFile(join(cwd, target), last.stdout);
        last = { ...last, stdout: "" };
      }
    }
    return { ...last, stderr };
  };
}

function listed(lines: readonly string[]): string {
  return lines
    .toSorted()
    .map((line) => `${line}\n`)
    .join("");
}

function pair(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1) || undefined];
}

function unquoted(word: string): string {
  const quoted = /\$'((?:[^'\\]|\\.)*)'|'([^']*)'|"([^"]*)"/g;
  return word.replace(quoted, (_, escaped?: string, single = "", double = "") =>
    escaped === undefined ? single + double : unescaped(escaped),
  );
}

function unescaped(text: string): string {
  const codes: Record<string, string> = { n: "\n", r: "\r", t: "\t", 0: "\0" };
  return text.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/g, (_, hex?: string, one = "") =>
    hex === undefined ? (codes[one] ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { main } from "../../src/cli/main.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { createContext } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { CONTROL_KEY, FRONT, setup, type Service } from "../_setup.ts";

const DIRECTORY = join(import.meta.dirname, "transcripts");

export const TRANSCRIPTS = readdirSync(DIRECTORY).map((name) => join(DIRECTORY, name));

/** What a typed line is made of: variables, words, what it reads, and the file that it makes. */
const TYPED =
  /^(?:printf '(?<input>[^']*)'(?: (?:\| )?|$))?(?:> (?<file>\S+)$)?(?<env>(?:[A-Z_]+=\S* )*)(?:svc (?<line>.*))?$/;
/** Ids that are made anew, tokens and times that take a moment. */
const ANEW = /(?!0{8}-)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\beyJ[\w.-]+|\b[0-9a-f]{16}\b/g;

/**
 * Plays a transcript: runs each `$ svc …` of it, and each row of its tables, and writes down what is shown.
 * `# sentence` begins with a service of its own, whose control API is known; `# sentence (terminal)` is read by a person.
 * `$ printf '…' | svc …` is read from standard input, and `$ printf '…' > name` makes a file. Of the output a line `2> …` is of
 * standard error, `? question > answer` is asked and answered, and `[2]` is an exit code other than 0. In a table a row is a
 * command without its `svc`, its exit code, and what it says on standard error; nothing else may be printed.
 * @returns the transcript with what happened; the same, if nothing has changed
 */
export async function played(path: string): Promise<string> {
  const lines = (await readFile(path, "utf8")).split("\n");
  const shown: string[] = [];
  let stage = await stageFor("");
  for (const [i, line] of lines.entries()) {
    if (line.startsWith("# ")) stage = await stageFor(line);
    const [, cell = ""] = /^\| (?!svc )(.+?) +\|/.exec(line) ?? [];
    const next = lines.findIndex((other, at) => at > i && /^(?:[$#|] |$)/.test(other));
    const answers = lines.slice(i, next).flatMap((one) => /^2> \? .* > (.*)$/.exec(one)?.[1] ?? []);
    if (line.startsWith("$ ")) shown.push(line, ...(await stage(line.slice(2), answers)).lines);
    else if (cell !== "") shown.push(rowOf(cell, await stage(`svc ${cell}`, [])));
    else if (line === "" || /^[#|] /.test(line)) shown.push(line);
  }
  return shown.join("\n");
}

interface Ended {
  readonly code: number;
  readonly lines: readonly string[];
}

function rowOf(cell: string, { code, lines }: Ended): string {
  const said = lines.slice(0, code === 0 ? undefined : -1).map((line) => line.replace(/^2> +/, ""));
  return `| ${cell} | ${code} | ${said.join(" ")} |`;
}

/** A service and a directory. @returns what runs a line there */
async function stageFor(heading: string): Promise<(typed: string, answers: string[]) => Promise<Ended>> {
  const service = await setup({ control: true });
  const cwd = temporaryDirectory();
  return async (typed, answers) => {
    const { input = "", file, env = "", line } = TYPED.exec(typed)!.groups!;
    const stdin = input.replaceAll("\\n", "\n");
    if (file !== undefined) await writeFile(join(cwd, file), stdin);
    if (line === undefined) return { code: 0, lines: [] };
    const answer = (question: string): string => {
      const given = answers.shift() ?? "";
      context.written.stderr += `? ${question} > ${given}\n`;
      return given;
    };
    const context = createContext({
      service,
      fetch: service.fetch as unknown as Fetch,
      cwd,
      stdin,
      tty: heading.endsWith("(terminal)"),
      columns: 120,
      env: { ...environment(service, cwd), ...Object.fromEntries(env.trim().split(" ").map(pair)) },
      confirm: (question) => answer(question) === "yes",
      ask: answer,
    });
    const code = await main(wordsOf(line), context);
    const { stdout, stderr } = context.written;
    const of = (text: string, mark = ""): string[] =>
      text
        .replace(ANEW, "…")
        .replaceAll(cwd, ".")
        .split("\n")
        .slice(0, -1)
        .map((one) => mark + one);
    return { code, lines: [...of(stdout), ...of(stderr, "2> "), ...(code === 0 ? [] : [`[${code}]`])] };
  };
}

function environment({ acme, addresses }: Service, HOME: string): Record<string, string> {
  const product = { SVC_BASE_URL: addresses.instanceUrl(acme), SVC_SECRET_KEY: acme.secret_key };
  return { ...product, SVC_CONTROL_URL: FRONT, SVC_CONTROL_KEY: CONTROL_KEY, HOME, NO_COLOR: "1" };
}

function pair(text: string): [string, string | undefined] {
  const [name = "", value] = text.split("=");
  return [name, value || undefined];
}

/** The words of a line, as a shell reads them. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}

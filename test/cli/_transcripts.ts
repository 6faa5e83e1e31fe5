// Below the faces: the files of a server and of a store are made without a process.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { main } from "../../src/cli/main.ts";
import { writePrivateFile } from "../../src/cli/files.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { createContext, memoryKeyring } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { leaveTrace, serverFile } from "../_server-file.ts";
import { CONTROL_KEY, FRONT, setup, type Service } from "../_setup.ts";
import { people } from "../store/_records.ts";
import { shellIn, type Printed } from "./_shell.ts";

const DIRECTORY = join(import.meta.dirname, "transcripts");

export const TRANSCRIPTS = readdirSync(DIRECTORY).map((name) => join(DIRECTORY, name));

/** Ids and keys that are made anew, tokens, digests, and times, ports and addresses of the machine. */
const ANEW = new RegExp(
  [
    /(?!0{8}-)[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/,
    /\beyJ[\w.-]+|\b[0-9a-f]{16,}\b|\bscenario_[\w-]{16}/,
    /\b[sp]k_(?!acme_|globex_|live_|wrong_)[\w-]{20,}|(?<=\bsk_…)(?!wxyz|stuv)[\w-]{4}/,
    /[\d.]+(?= ms\b)|(?<=svc wrote it at )\S+Z|(?<=127\.0\.0\.1%3A)\d+|(?<=state%3D)[0-9a-f]{32}|(?<=\/(?:stores|servers)\/)[\w-]+/,
    /(?<=localhost(?::|%3A))\d{5}\b|(?<= Listening +)\S.*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * Plays a transcript: runs each `$ …` of it, and each row of its tables, and writes down what is shown.
 * `# sentence` begins with a service of its own, whose address, keys and control API are in the environment. Behind it may be
 * `(terminal)`, where a person reads and answers, `(in its directory)`, where svc finds the service by its file alone,
 * `(stopped)`, where a server has run, `(with a keyring)`, and `(with a store)`, which is own/db.json. `$ svc …` may stand in a
 * pipe, behind variables, and before `< name`, `<<< text` or `> name`, quoted as in bash; beside it there are `printf`, `cat`,
 * `ls`, `sort`, `sed`, `export` and `unset`. `ANSWER='502 <html>'` is what any service answers instead, `DELETE 502` or `DELETE/id 502` to such
 * requests alone, and `ECONNREFUSED` how none is reached; `SIGNAL=SIGINT` comes at once, and `COLUMNS` is a width. Of the output a
 * line `2> …` is of standard error, `? question > answer` is asked and answered, and `[2]` is an exit code other than 0. In a
 * table a row takes the place of `…` in the command of the heading: its exit code, whether a service was asked before a
 * refusal, and all that is printed.
 * @returns the transcript with what happened; the same, if nothing has changed
 */
export async function played(path: string): Promise<string> {
  const lines = (await readFile(path, "utf8")).split("\n");
  const shown: string[] = [];
  let stage = await stageFor("");
  let row = "";
  for (const [i, line] of lines.entries()) {
    const next = lines.findIndex((other, at) => at > i && /^[$#|] /.test(other));
    const answers = lines.slice(i, next).flatMap((one) => /^2> \? .* > (.*)$/.exec(one)?.[1] ?? []);
    const [, heading] = /^\| (.*) \| ends \| says \|$/.exec(line) ?? [];
    const [, cell = ""] = /^\| (.*?) *\| /.exec(line) ?? [];
    if (line.startsWith("# ")) stage = await stageFor(line);
    if (heading !== undefined) row = heading;
    else if (line.startsWith("| ")) shown.push(rowOf(cell, await stage(row.split("…").join(cell), [])));
    if (line.startsWith("$ ")) shown.push(line, ...(await stage(line.slice(2), answers)).lines);
    else if (line.startsWith("# ") || heading !== undefined) shown.push(line);
    else if (line === "" && (i + 1 === next || i + 1 === lines.length)) shown.push(line);
  }
  return shown.join("\n");
}

interface Ended {
  readonly code: number;
  readonly isAsked: boolean;
  readonly lines: readonly string[];
}

function rowOf(cell: string, { code, isAsked, lines }: Ended): string {
  const said = lines.slice(0, code === 0 ? undefined : -1).map((line) => line.replace(/^2> +/, ""));
  return `| ${cell} | ${code}${code === 2 && isAsked ? " (asked)" : ""} | ${said.join(" ")} |`;
}

/** A service and a directory. @returns what runs a line there */
async function stageFor(heading: string): Promise<(typed: string, answers: string[]) => Promise<Ended>> {
  const notes = /\(([^)]*)\)$/.exec(heading)?.[1]?.split(", ") ?? [];
  const service = await setup({ control: true });
  const cwd = temporaryDirectory();
  const isFound = notes.includes("in its directory");
  const found = JSON.stringify(serverFile(cwd, fileOf(service)));
  if (isFound) await writePrivateFile(join(cwd, ".data/servers/here.json"), found);
  if (notes.includes("stopped")) await leaveTrace(cwd, { SVC_DATA_DIR: join(cwd, ".data") });
  if (notes.includes("with a store")) await makeStore(join(cwd, "own/db.json"));
  const keyring = notes.includes("with a keyring") ? memoryKeyring() : undefined;
  const env: Record<string, string | undefined> = {
    ...(isFound ? { SVC_BASE_URL: undefined, SVC_SECRET_KEY: undefined } : environmentOf(service)),
    HOME: cwd,
    SVC_DATA_DIR: join(cwd, ".data"),
    NO_COLOR: "1",
  };

  const answers: string[] = [];
  async function svc(
    words: string[],
    stdin: string,
    { ANSWER, COLUMNS, SIGNAL, ...own }: typeof env,
  ): Promise<Printed> {
    const answer = (question: string): string => {
      const given = answers.shift() ?? "";
      context.written.stderr += `? ${question} > ${given}\n`;
      return given;
    };
    const context = createContext({
      service,
      fetch: fetchOf(service, ANSWER),
      cwd,
      stdin,
      columns: Number(COLUMNS ?? 120),
      tty: notes.includes("terminal"),
      env: own,
      ...(keyring && { keyring }),
      ...(SIGNAL && { signal: SIGNAL as "SIGINT" | "SIGTERM" }),
      confirm: (question) => answer(question) === "yes",
      ask: answer,
    });
    context.askSecret = async (question) => answer(question);
    const code = await main(words, context);
    return { ...context.written, code, isAsked: context.requests.length > 0 };
  }

  const run = shellIn(cwd, env, svc);
  const shown = (text: string, mark = ""): string[] => {
    const lines = text.replace(ANEW, "…").replaceAll(cwd, ".").replace(/\n$/, "").split("\n");
    // A bar is written over, and a line that looks like one of a transcript has a backslash.
    const left = lines.map((line) =>
      line
        .split("\r\u001b[K")
        .at(-1)!
        .replace(/^(?=[$#|] )/, "\\"),
    );
    return text === "" ? [] : left.map((line) => mark + line);
  };
  return async (typed, given) => {
    answers.splice(0, answers.length, ...given);
    const { stdout, stderr, code, isAsked } = await run(typed);
    return { code, isAsked, lines: [...shown(stdout), ...shown(stderr, "2> "), ...(code === 0 ? [] : [`[${code}]`])] };
  };
}

function fetchOf(service: Service, answer?: string): Fetch {
  const asked = service.fetch as unknown as Fetch;
  if (answer === undefined) return asked;
  const [, method, path = "", status, body, code = answer] =
    /^(?:([A-Z]+)(\/\S+)? )?(?:(\d{3})(?: ([^]*))?|(\w+))$/.exec(answer) ?? [];
  return async (url, init) => {
    if ((method ?? init.method) !== init.method || !url.endsWith(path)) return asked(url, init);
    if (status === undefined) throw Object.assign(new Error(code), { code });
    const headers = body?.startsWith("<") ? { "content-type": "text/html" } : {};
    return new Response(body, { status: Number(status), headers }) as unknown as Awaited<ReturnType<Fetch>>;
  };
}

async function makeStore(path: string): Promise<void> {
  const store = await openFileStore(path, { warn: () => {} });
  await store.seed(people());
  await store.close();
}

function fileOf({ acme, globex, addresses }: Service) {
  const instances = [acme, globex].map((one) => ({ ...one, url: addresses.instanceUrl(one) }));
  return { url: FRONT, api_url: addresses.api, control_key: CONTROL_KEY, instances };
}

function environmentOf({ acme, addresses }: Service): Record<string, string> {
  const product = { SVC_BASE_URL: addresses.front, SVC_SECRET_KEY: acme.secret_key };
  return { ...product, SVC_CONTROL_URL: FRONT, SVC_CONTROL_KEY: CONTROL_KEY };
}

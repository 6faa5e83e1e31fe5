import { builtinModules } from "node:module";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join, normalize, relative } from "node:path";
import { parse } from "oxc-parser";

/** What every room of the CLI may use to fail. */
const CLI_ERRORS = ["cli/context.ts", "cli/errors.ts", "cli/failure.ts"];

/** What every command is made of. */
const CLI_COMMAND = [
  "cli/help",
  "cli/choices.ts",
  "cli/connection",
  "cli/output",
  "cli/command-names.ts",
  "cli/command.ts",
  "cli/files.ts",
  "cli/quantities.ts",
  ...CLI_ERRORS,
];

/** Texts, times, addresses and bodies, without a word of the product: every room may use both. */
const FOR_EVERY_ROOM = ["text", "http"];

/**
 * Which room may import which: everything that is not here is forbidden. A room is a folder of `src` with all that is below
 * it, or one file; the most specific one counts. Every room may import from itself.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  disk: [],
  network: ["wire"],
  dashboard: ["wire", "control-client"],
  "control-client": ["wire"],
  client: ["wire"],
  "client/on-node": ["wire", "network", "client"],
  "client/index.ts": ["client", "client/on-node"],
  // What a test starts: the server by its front or inside the test, and the control API by its client alone.
  testing: [
    "wire",
    "network",
    "client/index.ts",
    "control-client",
    "server/index.ts",
    "server/embed.ts",
    "server/errors.ts",
  ],

  // The rooms of the server, from the top to the ground.
  "server/index.ts": [
    "wire",
    "server",
    "server/embed.ts",
    "server/errors.ts",
    "server/http",
    "server/providers",
    "server/store",
    "server/store/open.ts",
    "server/store/move",
    "server/instances",
    "server/seed",
    "server/sign-in",
    "server/simulator",
  ],
  server: [
    "wire",
    "server/errors.ts",
    "server/zod-errors.ts",
    "server/token.ts",
    "server/control",
    "server/shared-state",
    "server/scenarios",
    "server/history",
    "server/http",
    "server/instances",
    "server/sign-in",
    "server/providers",
    "server/simulator",
    "server/seed",
    "server/store",
    "server/store/open.ts",
  ],
  // A server inside a test, which loads nothing that a port or a file needs.
  "server/embed.ts": [
    "wire",
    "server",
    "server/instances",
    "server/providers",
    "server/seed",
    "server/sign-in",
    "server/store/open.ts",
  ],
  // What only a development server has: it reaches into everything, and nothing reaches into it.
  "server/control": [
    "wire",
    "server/errors.ts",
    "server/zod-errors.ts",
    "server/token.ts",
    "server/http",
    "server/shared-state",
    "server/scenarios",
    "server/history",
    "server/instances",
    "server/sign-in",
    "server/providers",
    "server/simulator",
    "server/seed",
    "server/store",
  ],
  "server/shared-state": ["wire", "server/instances", "server/scenarios", "server/store"],
  // What a test decides about sign-ins. The simulator asks it, and neither the simulator nor the sign-in knows it.
  "server/scenarios": [
    "wire",
    "server/errors.ts",
    "server/history",
    "server/instances",
    "server/sign-in",
    "server/providers",
    "server/simulator",
    "server/store",
  ],
  "server/http": [
    "wire",
    "disk",
    "server/cookies.ts",
    "server/errors.ts",
    "server/memory-use.ts",
    "server/token.ts",
    "server/history",
    "server/instances",
    "server/sign-in",
    "server/providers",
    "server/simulator",
    "server/store",
  ],
  "server/simulator": [
    "wire",
    "server/memory-use.ts",
    "server/cookies.ts",
    "server/random.ts",
    "server/errors.ts",
    "server/history",
    "server/instances",
    "server/providers",
    "server/store",
  ],
  "server/seed": [
    "wire",
    "disk",
    "server/errors.ts",
    "server/zod-errors.ts",
    "server/instances",
    "server/sign-in",
    "server/providers",
    "server/store",
    "server/simulator",
  ],
  "server/sign-in": [
    "wire",
    "server/memory-use.ts",
    "server/cookies.ts",
    "server/random.ts",
    "server/errors.ts",
    "server/history",
    "server/instances",
    "server/providers",
    "server/store",
  ],
  // How a provider is asked, and what it says: the sign-in and the simulated ones need both.
  "server/providers": ["wire", "network", "server/random.ts", "server/errors.ts", "server/history", "server/store"],
  "server/instances": ["wire", "server/memory-use.ts", "server/errors.ts", "server/store"],
  "server/history": ["wire", "server/memory-use.ts"],
  "server/token.ts": ["wire", "server/memory-use.ts", "server/errors.ts", "server/instances", "server/store"],
  "server/cookies.ts": [],
  "server/random.ts": [],
  "server/memory-use.ts": [],
  "server/store/open.ts": [
    "server/errors.ts",
    "server/store",
    "server/store/memory",
    "server/store/file",
    "server/store/postgres",
  ],
  "server/store/move": [
    "wire",
    "server/errors.ts",
    "server/store",
    "server/store/open.ts",
    "server/store/file",
    "server/store/postgres",
  ],
  "server/store/postgres": ["wire", "server/store", "server/store/postgres/database"],
  // Connections and statements, without the schema.
  "server/store/postgres/database": ["wire", "disk", "server/errors.ts", "server/store"],
  "server/store/file": ["wire", "disk", "server/store", "server/store/memory"],
  // All records in memory, without files.
  "server/store/memory": ["wire", "server/store"],
  "server/store": ["wire"],
  "server/errors.ts": ["wire"],
  "server/zod-errors.ts": ["wire"],

  // The rooms of the CLI, from the top to the ground. Only what runs or repairs a server reaches it, and by its front.
  cli: ["wire", "cli/commands/index.ts", "cli/credentials", "cli/needs.ts", ...CLI_COMMAND],
  "cli/commands/index.ts": [
    "cli/commands",
    "cli/commands/doctor",
    "cli/commands/exec.ts",
    "cli/commands/init.ts",
    "cli/commands/serve",
    "cli/commands/store",
    "wire",
    "cli/command-names.ts",
    "cli/command.ts",
    "cli/context.ts",
  ],
  "cli/commands/store": ["disk", "cli/commands/serve", "cli/list", ...CLI_COMMAND, "server/index.ts"],
  "cli/commands/serve": [...CLI_COMMAND, "cli/places.ts", "wire", "disk", "server/index.ts"],
  // It reads the configuration as serve does.
  "cli/commands/doctor": [
    "cli/commands/serve",
    "cli/credentials",
    ...CLI_COMMAND,
    "cli/places.ts",
    "wire",
    "network",
    "disk",
  ],
  "cli/commands/exec.ts": [...CLI_COMMAND, "wire", "server/index.ts"],
  "cli/commands/init.ts": [...CLI_COMMAND, "wire", "disk", "server/index.ts"],
  "cli/commands": [
    "client",
    "control-client",
    "wire",
    "disk",
    "cli/list",
    "cli/search",
    "cli/credentials",
    "cli/places.ts",
    ...CLI_COMMAND,
  ],
  "cli/search": ["wire", "cli/command.ts", "cli/quantities.ts", "cli/output", ...CLI_ERRORS],
  "cli/list": ["client", "wire", "cli/output", ...CLI_ERRORS],
  "cli/connection": [
    "cli/choices.ts",
    "cli/files.ts",
    "cli/quantities.ts",
    "client",
    "client/on-node",
    "control-client",
    "wire",
    "network",
    "disk",
    "cli/credentials",
    "cli/places.ts",
    "cli/output",
    ...CLI_ERRORS,
  ],
  "cli/credentials": ["wire", "disk", "cli/files.ts", "cli/places.ts", ...CLI_ERRORS],
  "cli/help": ["wire", "cli/output", "cli/command-names.ts", "cli/command.ts", ...CLI_ERRORS],
  "cli/output": ["wire", "cli/command-names.ts", ...CLI_ERRORS],
  "cli/command-names.ts": [],
  "cli/command.ts": ["cli/choices.ts", "cli/output", "cli/context.ts", "cli/errors.ts", "cli/needs.ts"],
  "cli/needs.ts": ["cli/choices.ts", "cli/command-names.ts", "cli/help", "cli/context.ts", "cli/errors.ts"],
  "cli/choices.ts": ["wire", "disk", "cli/errors.ts"],
  "cli/files.ts": ["wire", "disk", ...CLI_ERRORS],
  "cli/quantities.ts": ["wire", ...CLI_ERRORS],
  // Every directory of the user's where svc keeps something.
  "cli/places.ts": CLI_ERRORS,
  "cli/context.ts": ["wire", "client", "cli/choices.ts", "cli/errors.ts"],
  "cli/failure.ts": ["wire", "client", "cli/errors.ts"],
  "cli/errors.ts": ["client"],
};

export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  http: [],
  text: ["http"],
  ...Object.fromEntries(Object.entries(ALLOWED).map(([room, others]) => [room, [...others, ...FOR_EVERY_ROOM]])),
};

/** Packages, each with the only files that may import it. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "@inquirer/prompts": ["cli/output/prompts.ts"],
  "@playwright/test": ["testing/playwright.ts", "testing/playwright-sign-in.ts"],
  "@napi-rs/keyring": ["cli/credentials/keys.ts"],
  chalk: ["cli/output/text.ts"],
  commander: ["cli"],
  "csv-parse": ["cli/commands/users/names.ts"],
  h3: ["server/service.ts", "server/http", "server/control"],
  jose: [
    "wire/token.ts",
    "client/token.ts",
    "client/service-clock.ts",
    "server/token.ts",
    "server/simulator/openid.ts",
  ],
  listhen: ["server/http/listen.ts"],
  lowdb: ["server/store/file"],
  "lru-cache": ["cli/commands/logs"],
  maxmind: ["server/sign-in/geo.ts"],
  preact: ["dashboard"],
  "@preact/signals": ["dashboard"],
  pg: ["server/store/postgres/database"],
  // What h3 answers with on Node.
  srvx: ["server/http/respond.ts"],
  "prom-client": ["server/metrics.ts"],
  "string-width": ["cli/list"],
  tldts: ["server/sign-in/registrable-domain.ts"],
  undici: ["network/agent.ts"],
  // Itself, for its fixtures.
  "svc-identity": ["server/seed/apply.ts", "server/control/generate.ts"],
  vitest: ["testing/vitest.ts"],
  // Of zod/mini alone: all of zod takes longer to load than Node to start.
  "zod/mini": ["server", "wire/route.ts", "wire/product", "wire/control"],
};

/** Node's modules are for all but the code that also runs elsewhere. */
const WITHOUT_NODE = ["http", "text", "wire", "dashboard", "client", "control-client"];

/** Every import below a folder that the tables do not allow: `server/store/x.ts imports ../serve.ts`. */
export async function forbiddenImports(src: string): Promise<string[]> {
  const found = await Promise.all(
    (await readdir(src, { recursive: true }))
      .filter((file) => /\.tsx?$/.test(file))
      .toSorted()
      .map(async (file) => {
        const specifiers = await importsOf(join(src, file));
        return specifiers
          .filter((specifier) => !isAllowed(file, specifier))
          .map((specifier) => `${file} imports ${specifier}`);
      }),
  );
  return found.flat();
}

/**
 * Groups of files of a folder that import each other in a circle, values or types, each group in the order of its names. Alone
 * an `import()` makes none: it is there to load later what imports its importer.
 */
export async function circles(folder: string): Promise<string[][]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const importsOfOne = async (file: string): Promise<[string, string[]]> => {
    const { module: found } = await parse(file, await readFile(join(folder, file), "utf8"));
    const passedOn = found.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest));
    const specifiers = [...found.staticImports.map(({ moduleRequest }) => moduleRequest), ...passedOn];
    const own = specifiers.flatMap((specifier) => (specifier?.value.startsWith(".") ? [specifier.value] : []));
    return [file, own.map((specifier) => normalize(join(dirname(file), specifier)))];
  };
  const imports = new Map(await Promise.all(files.map(importsOfOne)));
  const reached = new Map(files.map((file) => [file, reachedFrom(file, imports)]));
  const groups = files.map((file) =>
    files.filter((other) => reached.get(file)!.has(other) && reached.get(other)!.has(file)).toSorted(),
  );
  return [...new Map(groups.filter((group) => group.length > 1).map((group) => [group.join(), group])).values()];
}

function reachedFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const next = [...(imports.get(start) ?? [])];
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    next.push(...(imports.get(file) ?? []));
  }
  return reached;
}

/** Ways to a module that the parser does not count among the imports. */
const OTHER_WAYS = [
  /\brequire(?:\.resolve)?\(\s*["'`]([^"'`]+)/g,
  /\bcreateRequire\([^)]*\)(?:\.resolve)?\(\s*["'`]([^"'`]+)/g,
  /\bimport\.meta\.resolve\(\s*["'`]([^"'`]+)/g,
  /\bgetBuiltinModule\(\s*["'`]([^"'`]+)/g,
  /\bnew URL\(\s*["'`](\.[^"'`]+\.[cm]?[jt]sx?)["'`]/g,
];
const BUILTIN = new Set(builtinModules);

/** What a file imports: values and types, statically, dynamically, passed on, or by its address. */
async function importsOf(path: string): Promise<string[]> {
  const source = await readFile(path, "utf8");
  const { module: imports } = await parse(path, source);
  const others = OTHER_WAYS.flatMap((way) => [...source.matchAll(way)].map(([, specifier = ""]) => specifier));
  return [
    ...others,
    ...imports.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...imports.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...imports.dynamicImports.map(({ moduleRequest }) =>
      source.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""),
    ),
  ];
}

function isAllowed(file: string, specifier: string): boolean {
  if (specifier.startsWith("node:") || BUILTIN.has(specifier)) return !WITHOUT_NODE.includes(roomOf(file));
  if (!specifier.startsWith(".")) {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
    return (PACKAGES[specifier] ?? PACKAGES[name] ?? []).some((place) => isWithin(file, place));
  }
  const target = relative(".", normalize(join(dirname(file), specifier)));
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === to) return !isOtherCommand(file, target);
  return (ROOMS[from] ?? []).includes(to);
}

/** Whether a file is in the folder of another command. What two commands share is beside their folders. */
function isOtherCommand(from: string, to: string): boolean {
  const [mine, other] = [from, to].map((file) => /^cli\/commands\/([^/]+)\//.exec(file)?.[1]);
  return mine !== undefined && other !== undefined && mine !== other;
}

export function roomOf(file: string): string {
  const rooms = Object.keys(ROOMS).filter((room) => isWithin(file, room));
  return rooms.toSorted((a, b) => b.length - a.length)[0] ?? file;
}

function isWithin(file: string, place: string): boolean {
  return file === place || file.startsWith(`${place}/`);
}

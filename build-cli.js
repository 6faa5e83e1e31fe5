// Bundles the command and its server for start-up: the build as a whole is in build.js.
// CommonJS, because Node takes longer to find and link modules than to run most commands; in few files, of which a
// process reads those that it needs.
import { readFile } from "node:fs/promises";
import { build } from "rolldown";

/** undici, which takes longer to load than a command to run, is read when something of it is used. */
const lazyUndici = {
  name: "lazy-undici",
  resolveId: {
    filter: { id: /^(undici|\.\/undici\.cjs)$/ },
    handler: (id) => (id === "undici" ? { id: "\0undici" } : { id, external: true }),
  },
  load: {
    filter: { id: /^\0undici$/ },
    handler: () => `
      const load = () => require("./undici.cjs");
      const later = (name) => new Proxy(class {}, { construct: (_, args) => new (load()[name])(...args) });
      export const Agent = later("Agent");
      export const EnvHttpProxyAgent = later("EnvHttpProxyAgent");
      export const request = (...args) => load().request(...args);
      export const fetch = (...args) => load().fetch(...args);`,
  },
};

/** Node's own modules that take a millisecond or more each, and that most commands don't use: read at the first call. */
const LATE = ["node:child_process", "node:crypto", "node:dns", "node:fs/promises"];
const lazyBuiltins = {
  name: "lazy-builtins",
  resolveId: {
    filter: { id: /^node:/ },
    handler: (id) => (LATE.includes(id) ? { id: `\0late:${id}` } : undefined),
  },
  load: {
    filter: { id: /^\0late:/ },
    handler(id) {
      const name = id.slice("\0late:".length);
      const functions = Object.entries(process.getBuiltinModule(name)).filter(
        ([key, value]) => typeof value === "function" && /^[a-z]/.test(key),
      );
      return [
        `const load = () => process.getBuiltinModule("${name}");`,
        "export default new Proxy({}, { get: (_, key) => load()[key] });",
        ...functions.map(([key]) => `export const ${key} = (...args) => load().${key}(...args);`),
      ].join("\n");
    },
  },
};

/**
 * Of h3, svc uses the router: its answers are our own. What h3 makes answers with is made when it is first used, because
 * Node loads all of `fetch` for the first `Headers` or `Response`.
 */
const lazyAnswers = {
  name: "lazy-answers",
  load: {
    filter: { id: /[\\/](h3[\\/]dist[\\/]response|srvx[\\/]dist[\\/]adapters[\\/]node)\.mjs$/ },
    async handler(path) {
      if (path.endsWith("node.mjs"))
        return `export { FastURL } from "../_chunks/_url.mjs";
          export const FastResponse = new Proxy(class {}, { construct: (_, args) => new Response(...args) });
          export let serve, toNodeHandler;`;
      return (await readFile(path, "utf8"))
        .replace(/\b(emptyHeaders|jsonHeaders)\b/g, "$1()")
        .replace(/const (\w+)\(\) = .* new FrozenHeaders\(/g, "const $1 = () => new (FrozenHeaders())(")
        .replace(/var FrozenHeaders = (class extends Headers \{.*?\n\});/s, "const FrozenHeaders = () => $1;");
    },
  },
};

const apart = {
  name: "apart",
  resolveId: {
    filter: { id: /^node:child_process$|[\\/]server[\\/]index\.ts$/ },
    handler: (id, importer) => {
      // A bundle of its own.
      if (id !== "node:child_process") return { id: "./server.cjs", external: true };
      // Commander would load it for commands that are programs of their own, which svc has none of.
      return /[\\/]commander[\\/]/.test(importer) ? { id: "\0unused" } : undefined;
    },
  },
  load: { filter: { id: /^\0unused$/ }, handler: () => "export default {};" },
};

/** What lists and searches are made of, which other commands, svc serve among them, do without. */
const LISTS = /[\\/](cli[\\/](list|search|commands[\\/]list-and-search\b)|wire[\\/](csv|query))/;

/** What is read to print help, and by no command that does its work. */
const HELP = /[\\/]cli[\\/]help[\\/](topics|command-map|error-codes)\.ts$/;

/** @returns {Promise<import("rolldown").OutputChunk[]>} */
async function bundle(input, plugins, groups) {
  const { output } = await build({
    input,
    plugins,
    platform: "node",
    transform: { target: "node20.19" },
    // Optional packages, and parts of listhen that svc never asks for.
    external: ["@napi-rs/keyring", "jiti", "untun", "tinyclip", /^crossws\//, /^@parcel\//],
    onLog(level, log, print) {
      // consola asks it for nothing that svc uses.
      if (log.code !== "EMPTY_IMPORT_META") print(level, log);
    },
    output: {
      dir: "dist/cli",
      format: "cjs",
      exports: "named",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name]-[hash].cjs",
      codeSplitting: { groups },
      dynamicImportInCjs: false,
      minify: true,
      comments: { legal: false },
      sourcemap: true,
    },
  });
  return output.filter(({ type }) => type === "chunk");
}

/** @returns the files that went into it */
export async function buildCli() {
  const chunks = [
    await bundle({ undici: "undici" }, []),
    await bundle({ server: "src/server/index.ts" }, [lazyUndici, lazyAnswers], [{ name: "start", tags: ["$initial"] }]),
    await bundle(
      { main: "src/cli/main.ts", commands: "src/cli/bundle-entry.ts" },
      [apart, lazyUndici, lazyBuiltins],
      // The version and the first help do without.
      [
        { name: "start", tags: ["$initial"], test: (id) => !id.endsWith("main.ts") },
        { name: "shared", minShareCount: 2, test: (id) => !LISTS.test(id) && !HELP.test(id) },
        { name: "help", minShareCount: 2, test: HELP },
        { name: "lists", minShareCount: 2 },
      ],
    ),
  ];
  return chunks.flat().flatMap(({ moduleIds }) => moduleIds);
}

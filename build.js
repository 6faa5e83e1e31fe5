// Bundles for start-up: one file loads several times faster than the packages it is made of.
// The CLI carries all it needs; the library entries leave their packages to npm, so that a program has each once.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const shared = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  outdir: "dist",
  sourcemap: "linked",
  logLevel: "warning",
};

/** Packages that few starts need are files of their own, read when something of them is used. */
const LAZY = {
  // For certificates.
  "node-forge": "export default new Proxy({}, { get: (_, name) => load()[name] });",
  // The CLI asks by Node's own HTTP.
  undici: `export const Agent = new Proxy(class {}, { construct: (_, args) => new (load().Agent)(...args) });
    export const EnvHttpProxyAgent = new Proxy(class {}, {
      construct: (_, args) => new (load().EnvHttpProxyAgent)(...args),
    });
    export const request = (...args) => load().request(...args);
    export const fetch = (...args) => load().fetch(...args);`,
};
/** @param load how one is read from where the bundle is, as code */
const lazyPackages = (load) => ({
  name: "lazy-packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node-forge|undici)$/ }, ({ path }) => ({ path, namespace: "lazy" }));
    onLoad({ filter: /.*/, namespace: "lazy" }, ({ path }) => ({
      contents: `const load = () => ${load(path)}; ${LAZY[path]}`,
      resolveDir: ".",
    }));
  },
});
/**
 * Of h3, svc uses the router: its answers are our own. What h3 makes answers with is made when it is first used, because
 * Node loads all of `fetch` for the first `Headers` or `Response`.
 */
const lazyAnswers = {
  name: "lazy-answers",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]srvx[\\/]dist[\\/]adapters[\\/]node\.mjs$/ }, () => ({
      contents: `export { FastURL } from "../_chunks/_url.mjs";
        export const FastResponse = new Proxy(class {}, { construct: (_, args) => new Response(...args) });
        export let serve, toNodeHandler;`,
    }));
    onLoad({ filter: /[\\/]h3[\\/]dist[\\/]response\.mjs$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8"))
        .replace(/\b(emptyHeaders|jsonHeaders)\b/g, "$1()")
        .replace(/const (\w+)\(\) = .* new FrozenHeaders\(/g, "const $1 = () => new (FrozenHeaders())(")
        .replace(/var FrozenHeaders = (class extends Headers \{.*?\n\});/s, "const FrozenHeaders = () => $1;"),
    }));
  },
};
/** What few commands need is no part of the file that most do with. */
const apart = {
  name: "apart",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/server\/index\.ts$/ }, () => ({ path: "./server.js", external: true }));
    onResolve({ filter: /^\.\/bundle-entry\.ts$/ }, () => ({ path: "./cli/commands.cjs", namespace: "apart" }));
    onResolve({ filter: /^@inquirer\/prompts$/ }, () => ({ path: "./prompts.cjs", namespace: "apart" }));
    // Commander would load it for commands that are programs of their own, which svc has none of.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: "child_process", namespace: "unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "module.exports = {};" }));
    // Not imported, which would bring in Node's loader of modules.
    onLoad({ filter: /.*/, namespace: "apart" }, ({ path }) => ({
      contents: `module.exports = require("${path}");`,
      resolveDir: ".",
    }));
  },
};

await rm("dist", { recursive: true, force: true });
const bundled = { ...shared, minify: true, legalComments: "none", metafile: true };
const modules = { ...bundled, format: "cjs", outExtension: { ".js": ".cjs" } };
const lazy = await build({
  ...modules,
  entryPoints: { "cli/node-forge": "node-forge", "cli/undici": "undici", "cli/prompts": "@inquirer/prompts" },
});
await build({
  ...shared,
  entryPoints: {
    client: "src/client/index.ts",
    verify: "src/client/verify.ts",
    middleware: "src/client/middleware.ts",
    server: "src/server/index.ts",
    testing: "src/testing/index.ts",
    "testing/vitest": "src/testing/vitest.ts",
    "testing/playwright": "src/testing/playwright.ts",
  },
  packages: "external",
  splitting: true,
  chunkNames: "lib/[hash]",
});
const server = await build({
  ...bundled,
  entryPoints: { "cli/server": "src/server/index.ts" },
  plugins: [lazyPackages((name) => `require("./${name}.cjs")`), lazyAnswers],
  splitting: true,
  chunkNames: "cli/[hash]",
  // Packages that are not modules ask for Node's own by `require`.
  banner: {
    js: 'import { createRequire as svcRequire } from "node:module"; const require = svcRequire(import.meta.url);',
  },
  // Optional parts of listhen that svc never asks for.
  external: [
    "./node-forge.cjs",
    "./undici.cjs",
    "jiti",
    "untun",
    "tinyclip",
    "crossws/*",
    "@parcel/watcher",
    "@parcel/watcher-wasm",
  ],
});
// One file, and no module: Node takes longer to find and link modules than to run most commands.
const cli = await build({
  ...modules,
  entryPoints: { cli: "src/cli/main.ts", "cli/commands": "src/cli/bundle-entry.ts" },
  plugins: [lazyPackages((name) => `require("./${name}.cjs")`), apart],
  define: { "import.meta.url": "svcUrl" },
  banner: { js: 'const svcUrl = require("node:url").pathToFileURL(__filename).href;' },
  external: ["./undici.cjs", "./prompts.cjs", "./cli/commands.cjs", "@napi-rs/keyring"],
});
// The browser's side: users need no build of their own.
const dashboard = await build({
  ...bundled,
  platform: "browser",
  target: "es2022",
  outdir: "dist/dashboard",
  sourcemap: false,
  entryPoints: ["src/dashboard/dashboard.tsx", "src/dashboard/dashboard.css"],
});
await cp("src/dashboard/index.html", "dist/dashboard/index.html");
const bundledInputs = [lazy, server, cli, dashboard].flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licenses(bundledInputs));

await writeFile("dist/cli/help.txt", await help());

/** What `svc --help` prints. */
async function help() {
  let text = "";
  const output = { isTTY: false, write: (part) => (text += part) };
  const { main } = await import("./dist/cli.cjs");
  await main(["--help"], { stdout: output, stderr: output, env: {}, cwd: "." });
  return text;
}

/** The licence texts of the packages that went into a bundle. */
async function licenses(inputs) {
  const roots = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const texts = await Promise.all(
    [...roots].toSorted().map(async (root) => {
      const { name, version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
      const candidates = ["LICENSE", "LICENSE.md", "license", "LICENSE.txt", "license.md", "LICENCE"].map((file) =>
        readFile(join(dirname(join(root, "package.json")), file), "utf8"),
      );
      const text = await Promise.any(candidates).catch(() => `License: ${license}\n`);
      return `${name} ${version}\n\n${text}`;
    }),
  );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

// Bundles for start-up: one file loads several times faster than the packages it is made of.
// The CLI carries all it needs; the library entries leave their packages to npm, so that a program has each once.
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const shared = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  outdir: "dist",
  logLevel: "warning",
};

/**
 * Packages that few starts need become files of their own, read when something of them is used: listhen loads
 * node-forge to make certificates, and the client undici, in whose place the CLI asks by Node's own HTTP.
 */
const lazyPackages = {
  name: "lazy-packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node-forge|undici)$/ }, ({ path }) => ({ path, namespace: "lazy" }));
    onLoad({ filter: /.*/, namespace: "lazy" }, ({ path }) => ({
      contents: `import { createRequire } from "node:module";
        const load = () => createRequire(import.meta.url)("./${path}.cjs");
        ${LAZY[path]}`,
    }));
  },
};
const LAZY = {
  "node-forge": "export default new Proxy({}, { get: (_, name) => load()[name] });",
  undici: `export const Agent = new Proxy(class {}, { construct: (_, args) => new (load().Agent)(...args) });
    export const request = (...args) => load().request(...args);
    export const fetch = (...args) => load().fetch(...args);`,
};

await rm("dist", { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: { "cli/node-forge": "node-forge", "cli/undici": "undici" },
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  minify: true,
});
await build({
  ...shared,
  entryPoints: {
    client: "src/client/index.ts",
    verify: "src/client/verify.ts",
    middleware: "src/client/middleware.ts",
    server: "src/server/index.ts",
  },
  packages: "external",
  splitting: true,
  chunkNames: "lib/[hash]",
});
const { metafile } = await build({
  ...shared,
  entryPoints: { cli: "src/cli/main.ts" },
  plugins: [lazyPackages],
  splitting: true,
  chunkNames: "cli/[hash]",
  metafile: true,
  minify: true,
  legalComments: "none",
  // Packages that are not modules ask for Node's own by `require`.
  banner: {
    js: 'import { createRequire as svcRequire } from "node:module"; const require = svcRequire(import.meta.url);',
  },
  // Optional parts of listhen that svc never asks for.
  external: ["jiti", "untun", "tinyclip", "crossws/*", "@parcel/watcher", "@parcel/watcher-wasm", "@napi-rs/keyring"],
});
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licenses(Object.keys(metafile.inputs)));

await writeFile("dist/cli/help.txt", await help());

/** What `svc --help` prints. */
async function help() {
  let text = "";
  const output = { isTTY: false, write: (part) => (text += part) };
  const { main } = await import("./dist/cli.js");
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

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

/** listhen loads node-forge to make certificates, which few starts do: it becomes a file of its own, read when asked for. */
const lazyForge = {
  name: "lazy-forge",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node-forge$/ }, () => ({ path: "node-forge", namespace: "lazy" }));
    onLoad({ filter: /.*/, namespace: "lazy" }, () => ({
      contents: `import { createRequire } from "node:module";
        const require = createRequire(import.meta.url);
        export default new Proxy({}, { get: (_, name) => require("./forge.cjs")[name] });`,
    }));
  },
};

await rm("dist", { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: { "cli/forge": "node-forge" },
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
  plugins: [lazyForge],
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

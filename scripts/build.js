// Builds the library, whose packages npm installs; the test kit and the command, which bring theirs along; the dashboard.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build as buildForBrowsers } from "esbuild";
import { build } from "rolldown";

const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(await readFile("package.json", "utf8"));

const TARGET = "node20.19";

/** A package, with each of its parts. */
const isPackage = (name) => new RegExp(`^${name}(?:/|$)`);
const DEPENDENCIES = Object.keys(dependencies);
/** The application's own, if it has them. */
const OPTIONAL = Object.keys({ ...peerDependencies, ...optionalDependencies });
/** What `pg` would use in other places than Node's own sockets. */
const ELSEWHERE = ["pg-native", "pg-cloudflare"];

await rm("dist", { recursive: true, force: true });

// A program has each package once: what package.json names is imported, and the others are small enough to be copied.
const library = await buildForNode({
  input: {
    client: "src/client/index.ts",
    "client-portable": "src/client/portable.ts",
    verify: "src/client/verify.ts",
    "sign-in": "src/client/sign-in.ts",
    middleware: "src/client/middleware.ts",
    server: "src/server/index.ts",
    "client-errors": "src/client/errors.ts",
    "server-errors": "src/server/errors.ts",
    "registrable-domain": "src/server/sign-in/registrable-domain.ts",
  },
  external: [...DEPENDENCIES, ...OPTIONAL, ...ELSEWHERE].map(isPackage),
});

/** What the kit has of the library: a test compares errors by their classes, and the list of public suffixes is large. */
const SHARED = {
  [resolve("src/client/errors.ts")]: "../client-errors.js",
  [resolve("src/server/errors.ts")]: "../server-errors.js",
  [resolve("src/server/index.ts")]: "../server.js",
  [resolve("src/server/sign-in/registrable-domain.ts")]: "../registrable-domain.js",
};

// The kit starts in each file of tests, and Node takes longer to find files than to read them. So h3 and jose are in its
// own; what few tests need is not.
const kit = await buildForNode({
  input: {
    index: "src/testing/index.ts",
    vitest: "src/testing/vitest.ts",
    playwright: "src/testing/playwright.ts",
  },
  // In one directory, where the library is as far away from each of them.
  output: {
    dir: "dist/testing",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: [{ name: "kit", tags: ["$initial"], test: /^(?!.*src\/testing\/(?:vitest|playwright))/ }],
    },
  },
  external: ["undici", "listhen", ...OPTIONAL, ...ELSEWHERE].map(isPackage),
  // Vitest's jsdom has another URL in the global scope, from which that of srvx can't inherit.
  transform: {
    target: TARGET,
    inject: Object.fromEntries(
      ["URL", "URLSearchParams"].flatMap((name) => [
        [name, ["node:url", name]],
        [`globalThis.${name}`, ["node:url", name]],
      ]),
    ),
  },
  plugins: [
    {
      name: "shared",
      async resolveId(specifier, importer, options) {
        const found = await this.resolve(specifier, importer, { ...options, skipSelf: true });
        const id = SHARED[found?.id];
        return id === undefined ? found : { id, external: true };
      },
    },
  ],
});

// The browser's side: users need no build of their own.
const dashboard = await buildForBrowsers({
  bundle: true,
  format: "esm",
  logLevel: "warning",
  outdir: "dist/dashboard",
  platform: "browser",
  target: "es2022",
  minify: true,
  legalComments: "none",
  metafile: true,
  entryPoints: ["src/dashboard/dashboard.tsx", "src/dashboard/dashboard.css"],
});
await cp("src/dashboard/index.html", "dist/dashboard/index.html");

// The command, with its packages: a part for each `import()`. It is CommonJS, which Node loads faster than modules.
const command = await buildForNode({
  input: { main: "src/cli/main.ts" },
  // An optional package, and parts of listhen that svc never asks for.
  external: [...ELSEWHERE, "@napi-rs/keyring", "jiti", "untun", "tinyclip", /^crossws\//, /^@parcel\//],
  output: {
    dir: "dist/cli",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    dynamicImportInCjs: false,
    minify: true,
  },
  plugins: [
    {
      // listhen makes and reads certificates with it, and nothing else. It is a fifth of a start without one.
      name: "node-forge, when it is used",
      resolveId: (specifier, importer) =>
        specifier === "node-forge" && importer?.includes("/listhen/") ? "\0node-forge" : undefined,
      load: (id) =>
        id === "\0node-forge"
          ? `export default new Proxy({}, { get: (_, name) => require("node-forge")[name] });`
          : undefined,
    },
  ],
});

const bundledFiles = [...library, ...kit, ...command, ...Object.keys(dashboard.metafile.inputs)];
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licenses(bundledFiles.map((path) => resolve(path))));

/** Readable modules, unless `output` says otherwise. @returns the files that are in it */
async function buildForNode({ output, ...options }) {
  const { output: parts } = await build({
    platform: "node",
    transform: { target: TARGET },
    ...options,
    // A package asks for a field of `import.meta` that Node does not have; and what one build loads late, another may have from
    // its start.
    checks: { emptyImportMeta: false, ineffectiveDynamicImport: false },
    treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
    output: {
      dir: "dist",
      format: "esm",
      chunkFileNames: "lib/[name]-[hash].js",
      comments: { legal: false },
      sourcemap: true,
      ...output,
    },
  });
  return parts.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

/** The licence texts of the packages that went into a bundle. */
async function licenses(files) {
  const roots = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const texts = await Promise.all(
    [...roots].toSorted().map(async (root) => {
      const { name, version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
      const candidates = ["LICENSE", "LICENSE.md", "license", "LICENSE.txt", "license.md", "LICENCE"].map((file) =>
        readFile(join(root, file), "utf8"),
      );
      const text = await Promise.any(candidates).catch(() => `License: ${license}\n`);
      return `${name} ${version}\n\n${text}`;
    }),
  );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

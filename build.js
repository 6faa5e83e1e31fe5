// Builds the library, whose packages are left to npm, so that a program has each once; the dashboard; and the command.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { build as buildCommonJs } from "rolldown";

const shared = { bundle: true, format: "esm", logLevel: "warning" };

await rm("dist", { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: {
    client: "src/client/index.ts",
    "client-portable": "src/client/portable.ts",
    verify: "src/client/verify.ts",
    "sign-in": "src/client/sign-in/index.ts",
    middleware: "src/client/middleware.ts",
    server: "src/server/index.ts",
    testing: "src/testing/index.ts",
    "testing/vitest": "src/testing/vitest.ts",
    "testing/playwright": "src/testing/playwright.ts",
  },
  outdir: "dist",
  platform: "node",
  target: "node20.19",
  packages: "external",
  splitting: true,
  sourcemap: "linked",
  chunkNames: "lib/[hash]",
});
// The browser's side: users need no build of their own.
const dashboard = await build({
  ...shared,
  outdir: "dist/dashboard",
  platform: "browser",
  target: "es2022",
  minify: true,
  legalComments: "none",
  metafile: true,
  entryPoints: ["src/dashboard/dashboard.tsx", "src/dashboard/dashboard.css"],
});
await cp("src/dashboard/index.html", "dist/dashboard/index.html");
// The command, with its packages: a part for each `import()`. It is CommonJS, which Node loads faster than modules, and
// which esbuild does not split.
const { output: command } = await buildCommonJs({
  input: { main: "src/cli/main.ts" },
  platform: "node",
  transform: { target: "node20.19" },
  // An optional package, and parts of listhen that svc never asks for.
  external: ["@napi-rs/keyring", "jiti", "untun", "tinyclip", /^crossws\//, /^@parcel\//],
  // A package asks for a field of `import.meta` that Node does not have.
  checks: { emptyImportMeta: false },
  output: {
    dir: "dist/cli",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    dynamicImportInCjs: false,
    minify: true,
    comments: { legal: false },
    sourcemap: true,
  },
});
const bundledFiles = [
  ...command.flatMap((part) => (part.type === "chunk" ? part.moduleIds : [])),
  ...Object.keys(dashboard.metafile.inputs).map((path) => resolve(path)),
];
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licenses(bundledFiles));

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

// Builds the library, whose packages are left to npm, so that a program has each once; the dashboard; and, by
// build-cli.js, the command.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { buildCli } from "./build-cli.js";

const shared = { bundle: true, format: "esm", logLevel: "warning" };

await rm("dist", { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: {
    client: "src/client/index.ts",
    "client-portable": "src/client/portable.ts",
    verify: "src/client/verify.ts",
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
const dashboardFiles = Object.keys(dashboard.metafile.inputs).map((path) => resolve(path));
const bundledFiles = [...(await buildCli()), ...dashboardFiles];
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licenses(bundledFiles));

await writeFile("dist/cli/help.txt", await help());

/** What `svc --help` prints. */
async function help() {
  let text = "";
  const output = { isTTY: false, write: (part) => (text += part) };
  const { main } = await import("./dist/cli/main.cjs");
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

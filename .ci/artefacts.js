// node .ci/artefacts.js DIRECTORY [--built]: makes everything that a release publishes, and publishes nothing. With --built it
// packs what is built, and what it builds itself must be the same.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [given, built] = process.argv.slice(2);
if (given === undefined || ![undefined, "--built"].includes(built))
  throw new Error("usage: node .ci/artefacts.js DIRECTORY [--built]");
const directory = resolve(given);
mkdirSync(directory, { recursive: true });
const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));

const npm = (cwd, ...args) => execFileSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 64 << 20 });
const digestOf = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const again = mkdtempSync(join(tmpdir(), "svc-pack-"));
const packages = [pack(directory, built && "--ignore-scripts"), pack(again)];
if (digestOf(packages[0]) !== digestOf(packages[1])) throw new Error(`${packages.join(" and ")} differ`);

const artefacts = {
  [`${name}-${version}.cdx.json`]: `${JSON.stringify(bill(), null, 2)}\n`,
  "release-notes.md": notes(),
};
for (const [file, text] of Object.entries(artefacts)) writeFileSync(join(directory, file), text);
const files = [`${name}-${version}.tgz`, ...Object.keys(artefacts)];
const sums = files.map((file) => `${digestOf(join(directory, file))}  ${file}\n`).join("");
writeFileSync(join(directory, "SHA256SUMS"), sums);
for (const file of [...files, "SHA256SUMS"]) console.log(`${statSync(join(directory, file)).size} bytes  ${file}`);

/** Builds, unless npm ignores scripts, and packs. @returns the path of the package */
function pack(to, ...options) {
  npm(".", "pack", "--pack-destination", to, ...options.filter(Boolean));
  return join(to, `${name}-${version}.tgz`);
}

/** What is in the package, as CycloneDX: what npm installs with it, and what its bundles contain. */
function bill() {
  // npm names the package after its directory.
  const place = join(mkdtempSync(join(tmpdir(), "svc-bill-")), name);
  mkdirSync(place);
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(file, join(place, file));
  const sbom = (...args) =>
    JSON.parse(
      npm(place, "sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "library", ...args),
    );
  const all = sbom();
  const installed = sbom("--omit", "dev").components.map((component) => component["bom-ref"]);
  const licenses = readFileSync("dist/THIRD-PARTY-LICENSES.txt", "utf8");
  const bundled = [...licenses.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\S+)$/gm)].map(
    ([, own, at]) => `${own}@${at}`,
  );
  const kept = new Set([`${name}@${version}`, ...installed, ...bundled]);
  return {
    ...all,
    components: all.components.filter((component) => kept.has(component["bom-ref"])),
    dependencies: all.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) })),
  };
}

/** The version's section of the changelog. */
function notes() {
  const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
  const own = sections.find((section) => section.startsWith(`${version} `));
  if (own === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  return own.slice(own.indexOf("\n")).trim() + "\n";
}

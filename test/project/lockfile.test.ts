import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../_paths.ts";

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly inBundle?: boolean;
}

it("Every package in the lockfile has an integrity hash, or is in the tarball of one that has", async () => {
  const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const names = Object.keys(packages).filter((name) => name !== "");
  expect(names.length).toBeGreaterThan(100);
  /** npm records nothing for what a package bundles: it comes with the package, whose hash covers it. */
  const carrierOf = (name: string): string => name.slice(0, name.lastIndexOf("/node_modules/"));
  const isCovered = (name: string): boolean => {
    const { integrity = "", inBundle } = packages[name] ?? {};
    return integrity.startsWith("sha512-") || (inBundle === true && isCovered(carrierOf(name)));
  };
  expect(names.filter((name) => !isCovered(name))).toEqual([]);
  const sources = names.flatMap((name) => packages[name]!.resolved ?? []);
  expect(sources.filter((address) => !address.startsWith("https://registry.npmjs.org/"))).toEqual([]);
});

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const root = new URL("../..", import.meta.url);

describe("The types of the client", () => {
  /** What a built file of types imports, and what that imports. */
  async function packagesOf(file: URL, seen = new Set<string>()): Promise<string[]> {
    if (seen.has(file.href)) return [];
    seen.add(file.href);
    const source = await readFile(file, "utf8");
    const found: string[] = [];
    for (const [, specifier = ""] of source.matchAll(/\b(?:from |import ?\(?)"([^"]+)"/g)) {
      const types = specifier.replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
      found.push(...(specifier.startsWith(".") ? await packagesOf(new URL(types, file), seen) : [specifier]));
    }
    return found;
  }

  it("need no package, so that a program's compiler reads none", async () => {
    for (const entry of ["index", "verify", "sign-in/index", "middleware"])
      expect(await packagesOf(new URL(`dist/types/client/${entry}.d.ts`, root))).toEqual([]);
    expect(await packagesOf(new URL("dist/types/wire/route.d.ts", root))).toEqual(["zod/mini"]);
  });
});

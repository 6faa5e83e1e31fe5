import { existsSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, inject, it } from "vitest";
import { ENVIRONMENT } from "../../src/cli/help/topics.ts";
import { ROOT } from "../_paths.ts";

it("Tests run in an empty directory outside the clone, with a home and temporary files of their own", () => {
  expect(relative(ROOT, process.cwd())).toMatch(/^\.\./);
  expect(readdirSync(process.cwd())).toEqual([]);
  for (const place of [process.cwd(), homedir(), tmpdir()]) expect(dirname(place)).toBe(inject("shared"));
  for (let above = tmpdir(); above !== dirname(above); above = dirname(above))
    expect([above, existsSync(join(above, ".svc"))]).toEqual([above, false]);
});

it("Tests see no setting of svc, npm, Node or the terminal", () => {
  const seen = Object.keys(process.env);
  const documented = Object.values(ENVIRONMENT)
    .join(" ")
    .match(/\b[A-Z_]{5,}\b/g)!;
  expect(documented).toEqual(expect.arrayContaining(["NO_COLOR", "XDG_CONFIG_HOME"]));
  for (const name of [...Object.keys(ENVIRONMENT), ...documented]) expect(seen).not.toContain(name);
  for (const name of ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "npm_command", "npm_lifecycle_script", "https_proxy"])
    expect(seen).not.toContain(name);
});

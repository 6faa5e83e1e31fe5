// Below the faces: the pages are compared with the tables behind them.

import { readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, relative } from "node:path";
import { expect, inject, it } from "vitest";
import { ENVIRONMENT } from "../../src/cli/help/environment.ts";
import { ROOT } from "../_paths.ts";

it("Tests run in an empty directory outside the clone, with a home and temporary files of their own", () => {
  expect(relative(ROOT, process.cwd())).toMatch(/^\.\./);
  expect(readdirSync(process.cwd())).toEqual([]);
  for (const place of [process.cwd(), homedir(), tmpdir(), process.env["SVC_DATA_DIR"]!])
    expect(dirname(place)).toBe(inject("shared"));
});

it("Tests see no setting of svc, npm, Node or the terminal", () => {
  const seen = Object.keys(process.env);
  const documented = Object.values(ENVIRONMENT)
    .join(" ")
    .match(/\b[A-Z_]{5,}\b/g)!;
  const others = [...Object.keys(ENVIRONMENT), ...documented].filter((name) => name !== "SVC_DATA_DIR");
  expect(others).toEqual(expect.arrayContaining(["NO_COLOR", "FORCE_COLOR", "XDG_CONFIG_HOME"]));
  for (const name of others) expect(seen).not.toContain(name);
  for (const name of ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "npm_command", "npm_lifecycle_script", "https_proxy"])
    expect(seen).not.toContain(name);
});

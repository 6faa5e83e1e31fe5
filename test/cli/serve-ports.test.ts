import { expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";

it.each([
  ["http://localhost:6000", "Browsers and fetch refuse port 6000 (ERR_UNSAFE_PORT). Choose another port"],
  ["http://localhost:6001", ""],
  ["http://localhost", ""],
])("svc serve at %s warns if browsers refuse its port", async (url, warning) => {
  const argv = ["serve", "--port", "0", "--store", "memory", "--public-url", url];
  const { code, stderr } = await runCli(argv, { cwd: temporaryDirectory(), signal: "SIGINT" });
  expect([code, stderr.slice(0, warning.length)]).toEqual([0, warning]);
  expect(stderr.includes("ERR_UNSAFE_PORT")).toBe(warning !== "");
});

it("svc serve calls those ports blocked that fetch refuses", async () => {
  const { blockedPort } = await import("../../src/cli/commands/serve/announce.ts");
  for (const port of [1, 6566, 6697, 10_080]) {
    expect(blockedPort(`http://localhost:${port}`)).toContain(`port ${port} `);
    await expect(fetch(`http://localhost:${port}`)).rejects.toMatchObject({ cause: new Error("bad port") });
  }
});

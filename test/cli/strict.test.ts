import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { serveHere } from "../_serving.ts";
import { APP } from "../_setup.ts";

const begin = async (url: string): Promise<number> => {
  const query = new URLSearchParams({ redirect_uri: APP });
  return (await fetch(`${url}/sign-in?${query.toString()}`, { redirect: "manual" })).status;
};

it("svc serve --strict sends users to registered addresses only, and says which instances refuse every sign-in", async () => {
  const { ready, output } = await serveHere(["--store", "memory", "--strict"], { cwd: temporaryDirectory() });
  expect(output().join("\n")).toContain("Acme refuses every sign-in: it has no redirect_uris. List its addresses.");
  expect(await begin(ready.url)).toBe(400);
});

it("svc serve is strict if its configuration says so, and otherwise not", async () => {
  const cwd = temporaryDirectory();
  await writeFile(join(cwd, "svc.config.json"), JSON.stringify({ strict: true }));
  const strict = await serveHere(["--store", "memory"], { cwd });
  expect(await begin(strict.ready.url)).toBe(400);
  await writeFile(join(cwd, "svc.config.json"), "{}");
  const lenient = await serveHere(["--store", "memory"], { cwd });
  expect(await begin(lenient.ready.url)).toBe(302);
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTestService } from "../../src/testing/index.ts";
import { runCli } from "../_cli.ts";
import { directory, useDirectory } from "../_config.ts";
import { serveHere } from "../_serving.ts";

useDirectory();

const SEED = JSON.stringify({
  instances: [{ name: "Acme", subdomain: "acme", users: [{ email: "jo@acme.test", name: "Jörg" }] }],
});
const swapped = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

/** Encodings of a file that other programs write. */
const READ: [encoding: string, bytes: (text: string) => Buffer][] = [
  ["UTF-8 with a byte order mark", (text) => Buffer.from(`\uFEFF${text}`)],
  ["UTF-16, little endian", (text) => Buffer.from(`\uFEFF${text}`, "utf16le")],
  ["UTF-16, big endian", (text) => swapped(`\uFEFF${text}`)],
];
const NOT_UTF8 = "is not text in UTF-8 (line 1, byte 91). Save it as UTF-8.";
const latin1 = Buffer.from(SEED, "latin1");

async function put(name: string, bytes: Buffer): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, bytes);
  return path;
}

async function userNames(seed: string): Promise<string[]> {
  const svc = await createTestService({ seed });
  const users = await svc.client().users.list();
  await svc.close();
  return users.map(({ data }) => data.name);
}

describe.each(READ)("A file in %s", (_, encoded) => {
  it("is read as a seed, by serve, exec and the test kit", async () => {
    const seed = await put("seed.json", encoded(SEED));
    expect(await userNames(seed)).toEqual(["Jörg"]);
    const serving = await serveHere(["--store", "memory", "--seed", seed], { cwd: directory });
    expect((await serving.stop()).code).toBe(0);
    const command = [process.execPath, "-e", ""];
    const ran = await runCli(["exec", "--seed", seed, "--", ...command], { cwd: directory, isOnline: true });
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining("UTF")]);
  });

  it("is read as a configuration, found or named", async () => {
    await put("svc.config.json", encoded('{ "strict": true, "seed": "seed.json" }'));
    await put("seed.json", encoded(SEED));
    for (const named of [[], ["--config", "svc.config.json"]]) {
      const serving = await serveHere(["--store", "memory", ...named], { cwd: directory });
      expect((await serving.stop()).code).toBe(0);
    }
  });
});

describe("A file in Latin-1 is refused with the line and the byte", () => {
  it.each([
    ["serve", ["serve", "--port", "0", "--store", "memory", "--seed", "seed.json"]],
    ["serve, by a configuration that was found", ["serve", "--port", "0", "--store", "memory"]],
    ["exec", ["exec", "--seed", "seed.json", "--", "true"]],
  ])("as the seed of %s", async (_, argv) => {
    await put("seed.json", latin1);
    await put("svc.config.json", Buffer.from('{ "seed": "seed.json" }'));
    const { code, stderr } = await runCli(argv, { cwd: directory, isOnline: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`seed.json ${NOT_UTF8}`)]);
  });

  it("as the seed of the test kit", async () => {
    await expect(createTestService({ seed: await put("seed.json", latin1) })).rejects.toThrow(NOT_UTF8);
  });

  it.each([[[]], [["--config", "svc.config.json"]]])("as a configuration: serve %j", async (flags) => {
    await put("svc.config.json", Buffer.from('{\n"store": "Zoë"}', "latin1"));
    const { code, stderr } = await runCli(["serve", "--port", "0", ...flags], { cwd: directory, isOnline: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining("is not text in UTF-8 (line 2, byte 15)")]);
  });
});

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { setup } from "../_setup.ts";

let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "svc-token-"));
  await mkdir(join(cwd, "hello"));
});
afterAll(() => rm(cwd, { recursive: true }));

it.each([
  ["a.b.c", "three parts"],
  ["hello", "the name of a directory"],
  ["x".repeat(5000), "longer than a name"],
  ["eyJhbGciOiJub25lIn0.txt", "the beginning of a token"],
])("svc tokens verify asks about what is not a file: %.30s, %s", async (text) => {
  const { code, stderr } = await runCli(["tokens", "verify", text], { service: await setup(), cwd });
  expect([code, stderr.startsWith("✗ Token invalid signature\n")]).toEqual([5, true]);
});

it("svc tokens verify takes a token for a token, also after Bearer", async () => {
  const service = await setup();
  const token = await service.tokenFor("google", "ada");
  for (const argument of [token, `Bearer ${token}`])
    expect(await runCli(["tokens", "verify", argument], { service, cwd })).toMatchObject({ code: 0, stderr: "" });
});

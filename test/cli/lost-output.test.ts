import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/server/index.ts";
import { temporaryDirectory } from "../_files.ts";
import { needs } from "../_machine.ts";
import { BIN } from "../_paths.ts";

const SVC = `"${process.execPath}" "${BIN}"`;
const USERS = ["ada", "bea", "cy"].map((name) => ({ email: `${name}@acme.test`, name }));

/** Runs a line of bash beside a server with three users, each of whom is at acme.test. */
async function stage() {
  const cwd = temporaryDirectory();
  const seed = { instances: [{ name: "Acme", subdomain: "acme", users: USERS }] };
  const server = await serve({ port: 0, store: "memory", seed });
  onTestFinished(() => server.close());
  const { url, secret_key } = server.instances[0]!;
  const control = { SVC_CONTROL_URL: server.url, SVC_CONTROL_KEY: server.control_key! };
  const env = { PATH: process.env["PATH"], HOME: cwd, SVC_BASE_URL: url, SVC_SECRET_KEY: secret_key, ...control };
  const bash = async (line: string): Promise<{ code: number; stdout: string; stderr: string }> => {
    const child = spawn("bash", ["-c", line], { cwd, env });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => (said[name] += text));
    const [code] = (await once(child, "close")) as [number];
    return { code, ...said };
  };
  const left = async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${server.control_key!}` };
    const answer = await fetch(`${server.url}/__svc/v1/users`, { headers });
    return ((await answer.json()) as { data: { email: string } }[]).map(({ data }) => data.email).toSorted();
  };
  return { cwd, url, bash, left };
}

const ALL = USERS.map(({ email }) => email);

it("A deletion whose receipt can't hold its first line deletes no one and leaves no file", needs("bash"), async () => {
  const { cwd, bash, left } = await stage();
  const { code, stderr } = await bash(`ulimit -f 0; ${SVC} users delete ada@acme.test --yes --receipt r`);
  expect([code, stderr]).toEqual([
    8,
    expect.stringContaining('✗ --receipt: "r" cannot be written: file too large (EFBIG). No users were deleted.\n'),
  ]);
  expect([existsSync(join(cwd, "r")), await left()]).toEqual([false, ALL]);
});

it("A deletion whose receipt can't be continued says how many it deleted and where", needs("bash"), async () => {
  const { cwd, url, bash, left } = await stage();
  const { code, stderr } = await bash(`ulimit -f 1; ${SVC} users delete ${ALL.join(" ")} --yes --receipt r`);
  const gone = ALL.length - (await left()).length;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`Deleted ${gone} users of acme (${url}, SVC_BASE_URL).\n`),
  ]);
  expect(stderr).toContain(`✗ The receipt cannot be written: file too large (EFBIG). ${gone} of 3 deleted`);
  // Each of them is on record as begun.
  expect((await readFile(join(cwd, "r"), "utf8")).match(/"deleting"/g)!.length).toBeGreaterThanOrEqual(gone);
});

it.skipIf(process.platform !== "linux")("A deletion whose result can't be printed says that it was done", async () => {
  const { bash, left } = await stage();
  const shown = await bash(`${SVC} users delete ada@acme.test bea@acme.test --yes --json > /dev/full`);
  expect([shown.code, await left()]).toEqual([1, ["cy@acme.test"]]);
  const said = shown.stderr.trimEnd().split("\n").at(-1)!;
  expect(JSON.parse(said)).toMatchObject({
    error: {
      message: "Standard output cannot be written (ENOSPC).",
      hint: "Before that the service made 2 changes, which stay.",
    },
  });
});

it.skipIf(process.platform !== "linux")("So do new keys that can't be printed", async () => {
  const { bash } = await stage();
  const { code, stderr } = await bash(`${SVC} dev keys rotate --yes --json > /dev/full`);
  expect([code, stderr]).toEqual([1, expect.stringContaining("Before that the service made 1 change, which stays.")]);
});

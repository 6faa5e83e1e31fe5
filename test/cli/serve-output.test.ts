import { describe, expect, it } from "vitest";
import { processContext } from "../../src/cli/process-context.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";

/** What svc serve prints of a server that is stopped as soon as it is ready. */
async function banner(cwd: string, ...flags: string[]): Promise<string> {
  const { code, stdout } = await runCli(["serve", "--port", "0", ...flags], { cwd, signal: "SIGINT" });
  expect(code).toBe(0);
  return stdout;
}

it("The banner has a gap between the name of an instance and its address, and one column for all values", async () => {
  const cwd = temporaryDirectory();
  expect(await runCli(["init", "--name", "My application"], { cwd })).toMatchObject({ code: 0 });
  const lines = (await banner(cwd)).split("\n").filter((line) => line.includes("http://") || line.includes("pk_"));
  expect(lines.find((line) => line.includes("My application"))).toMatch(
    /^ {2}My application {2}http:\/\/my-application\./,
  );
  const columns = lines.map((line) => line.search(/http:|pk_/));
  expect(columns.length).toBeGreaterThan(3);
  expect(new Set(columns)).toEqual(new Set([18]));
});

it("The banner keeps its columns where an instance has a very long name", async () => {
  const cwd = temporaryDirectory();
  const name = "N".repeat(200);
  expect(await runCli(["init", "--name", name], { cwd })).toMatchObject({ code: 0 });
  const shown = await banner(cwd);
  expect(shown).toContain(`  ${name}  http://`);
  expect(shown).toMatch(/^ {2}Front door {16}http:/m);
});

it("With --quiet there is no banner, and with --json the line for programs stays", async () => {
  const cwd = temporaryDirectory();
  expect(await banner(cwd, "--quiet")).toBe("");
  expect(JSON.parse(await banner(cwd, "--quiet", "--json"))).toMatchObject({ type: "ready" });
});

const PHONE = "http://192.0.2.7:7820";
const BEYOND = ["--store", "memory", "--providers", "simulated", "--host", "0.0.0.0", "--public-url", PHONE];

describe("Where names below localhost do not resolve, svc serve", () => {
  const start = async (resolves: boolean, ...flags: string[]): Promise<string> => {
    const argv = ["serve", "--port", "0", "--store", "memory", ...flags];
    const { code, stdout, stderr } = await runCli(argv, { cwd: temporaryDirectory(), signal: "SIGINT", resolves });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("does not resolve")]);
    return stdout;
  };

  it("says once which address programs use", async () => {
    const stdout = await start(false);
    expect(stdout).toMatch(
      /^ {2}Front door {2}http:\/\/localhost:\d+\n {14}use it from programs: this machine does not resolve \*\.localhost\n/m,
    );
    expect(stdout.match(/does not resolve/g)).toHaveLength(1);
    expect(await start(true)).not.toContain("does not resolve");
  });

  it.each([["--quiet"], BEYOND])("says nothing with %s", async (...flags) => {
    expect(await start(false, ...flags)).not.toContain("does not resolve");
  });
});

it("With --json each instance has the address that programs use, whether other names resolve or not", async () => {
  const lines = [];
  for (const resolves of [true, false]) {
    const argv = ["serve", "--port", "0", "--store", "memory", "--json"];
    const { stdout, stderr } = await runCli(argv, { cwd: temporaryDirectory(), signal: "SIGINT", resolves });
    expect(stderr).toBe("");
    const { url, instances } = JSON.parse(stdout.split("\n")[0]!) as {
      url: string;
      instances: { url: string; program_url: string }[];
    };
    expect(instances.map(({ program_url }) => program_url)).toEqual([url, url]);
    expect(instances[0]!.url).toBe(url.replace("localhost", "acme.localhost"));
    lines.push(Object.keys(instances[0]!));
  }
  expect(lines[0]).toEqual(lines[1]);
});

it("Whether a name resolves is asked of this machine", async () => {
  const { resolves } = processContext();
  expect([await resolves("localhost"), await resolves("acme.invalid")]).toEqual([true, false]);
});

it.each<[string, boolean, string[]]>([
  ["into a pipe", false, BEYOND],
  ["with --json", true, [...BEYOND, "--json"]],
  ["with --quiet", true, [...BEYOND, "--quiet"]],
  ["at loopback behind a proxy", true, [...BEYOND, "--host", "127.0.0.1"]],
  ["without a public URL", true, BEYOND.slice(0, -2)],
  ["by default", true, ["--store", "memory"]],
])("There is no QR code %s", async (_, isTerminal, flags) => {
  const argv = ["serve", "--port", "0", ...flags];
  const tty = isTerminal ? (["stdout"] as const) : false;
  const { code, stdout } = await runCli(argv, { cwd: temporaryDirectory(), signal: "SIGINT", tty });
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/[█▀▄]/);
});

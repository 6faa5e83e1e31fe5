import { expect, it } from "vitest";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";

/** What svc serve prints of a server that is stopped as soon as it is ready. */
async function banner(cwd: string, ...flags: string[]): Promise<string> {
  const { code, stdout } = await runCli(["serve", "--port", "0", ...flags], { cwd, signal: "SIGINT" });
  expect(code).toBe(0);
  return stdout;
}

it("The banner keeps its columns where an instance has a very long name", async () => {
  const cwd = temporaryDirectory();
  const name = "N".repeat(200);
  expect(await runCli(["init", "--name", name], { cwd })).toMatchObject({ code: 0 });
  const shown = await banner(cwd);
  expect(shown).toContain(`  ${name}  http://`);
  expect(shown).toMatch(/^ {2}Front door {16}http:/m);
});

it("With --json each instance has the address that programs use", async () => {
  const argv = ["serve", "--port", "0", "--store", "memory", "--json"];
  const { stdout, stderr } = await runCli(argv, { cwd: temporaryDirectory(), signal: "SIGINT" });
  expect(stderr).toBe("");
  const { url, instances } = JSON.parse(stdout.split("\n")[0]!) as {
    url: string;
    instances: { url: string; program_url: string }[];
  };
  expect(instances.map(({ program_url }) => program_url)).toEqual([url, url]);
  expect(instances[0]!.url).toBe(url.replace("localhost", "acme.localhost"));
});

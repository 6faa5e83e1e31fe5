import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
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

it("The banner names the hosts that stand for a provider's own", async () => {
  const cwd = temporaryDirectory();
  const own = { client_id: "id", client_secret: "secret" };
  const endpoints = { token: "http://127.0.0.1:5390/token", user: "http://127.0.0.1:5390/user" };
  const config = { providers: { google: own, github: { ...own, endpoints } } };
  await writeFile(join(cwd, "svc.config.json"), JSON.stringify(config));
  expect(await banner(cwd)).toContain("google real  github real at 127.0.0.1:5390  twitter simulated\n");
  expect(await banner(cwd, "--providers", "simulated")).toContain("github simulated  twitter simulated\n");
});

it("The banner names the proxy through which a real provider is asked, without its password", async () => {
  const cwd = temporaryDirectory();
  const proxy = { HTTPS_PROXY: "http://user:hush@proxy.test:8080" };
  const shown = async (env: Record<string, string>): Promise<string> => {
    const argv = ["serve", "--port", "0", "--store", "memory"];
    return (await runCli(argv, { cwd, env, signal: "SIGINT" })).stdout;
  };
  expect(await shown(proxy)).not.toContain("Proxy");
  const real = { ...proxy, SVC_GOOGLE_CLIENT_ID: "id", SVC_GOOGLE_CLIENT_SECRET: "secret" };
  expect(await shown(real)).toMatch(/^ {2}Proxy {7,}proxy\.test:8080 of HTTPS_PROXY$/m);
  expect(await shown({ ...real, NO_PROXY: "googleapis.com" })).not.toContain("Proxy");
});

it("With --quiet there is no banner, and with --json the line for programs stays", async () => {
  const cwd = temporaryDirectory();
  expect(await banner(cwd, "--quiet")).toBe("");
  expect(JSON.parse(await banner(cwd, "--quiet", "--json"))).toMatchObject({ type: "ready" });
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

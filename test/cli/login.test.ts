// Every command with one key: see transcripts/profiles.txt for the rest.
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { setup, type Service } from "../_setup.ts";

let home: string;
let service: Service;
beforeEach(async () => {
  home = temporaryDirectory();
  service = await setup();
});

const NOT_SET = { SVC_SECRET_KEY: undefined, SVC_BASE_URL: undefined };

function run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return runCli(argv, {
    service,
    cwd: home,
    ...options,
    env: { HOME: home, NO_COLOR: "1", ...NOT_SET, ...options.env },
  });
}

function logIn(): Promise<CliResult> {
  const where = ["--base-url", service.addresses.instanceUrl(service.acme), "--insecure-storage"];
  return run(["login", ...where], { stdin: service.acme.secret_key });
}

it("svc login checks a key with a search that finds nothing", async () => {
  const { requests } = await logIn();
  expect(requests.map(({ method, url }) => `${method} ${decodeURIComponent(new URL(url).search)}`)).toEqual([
    "GET ?query=id:00000000-0000-0000-0000-000000000000",
  ]);
});

it("A stored secret appears in no output and in no other file, and is sent to no other address", async () => {
  await logIn();
  await mkdir(join(home, "work"));
  const commands = [
    ["whoami"], ["profiles", "list"], ["profiles", "use", "acme"],
    ["doctor"], ["doctor", "--base-url", "https://elsewhere.test"], ["instances", "list"], ["api", "GET", "/api/v1/users", "--include"],
    ["api", "GET", "/nowhere"], ["open", "--print"], ["help"], ["help", "environment"],
    ["help", "--json"], ["completion", "bash"], ["init"], ["users", "list"], ["sessions", "list"],
    ["users", "list", "--base-url", "https://elsewhere.test"], ["login", "--insecure-storage"], ["logout"],
  ]; // prettier-ignore
  for (const argv of commands)
    for (const tty of [true, false])
      for (const json of [[], ["--json"]]) {
        const stdin = argv[0] === "login" ? service.acme.secret_key : "";
        const { stdout, stderr, requests } = await run([...argv, ...json], { tty: tty && argv[0] !== "login", stdin });
        expect([argv, stdout + stderr]).not.toEqual([argv, expect.stringContaining(service.acme.secret_key)]);
        const elsewhere = requests.filter(({ url }) => new URL(url).origin !== "http://acme.localhost:7820");
        expect(JSON.stringify(elsewhere)).not.toContain(service.acme.secret_key);
        if (json.length > 0 && stdout !== "" && !["help", "completion", "api", "open"].includes(argv[0]!))
          expect([argv, typeof JSON.parse(stdout)]).toEqual([argv, "object"]);
      }
  const files = await readdir(home, { recursive: true, withFileTypes: true });
  for (const file of files.filter((one) => one.isFile()))
    expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain(service.acme.secret_key);
});

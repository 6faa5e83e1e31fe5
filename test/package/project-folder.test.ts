import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startSvc } from "../_attacks.ts";
import { temporaryDirectory } from "../_files.ts";
import { BIN, ROOT } from "../_paths.ts";
import { runningIn } from "../_server-file.ts";

/** Vite's development server of a project, as vitest brings it. */
async function startVite(cwd: string): Promise<string> {
  const vite = join(ROOT, "node_modules/vite/bin/vite.js");
  const child = spawn(process.execPath, [vite, "--port", "0", "--host", "127.0.0.1"], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  for (;;) {
    const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
    if (url !== undefined) return url;
    await once(child.stdout, "data");
  }
}

it("T73: An application's folder, its package, its commits and its own web server have no key of svc", async () => {
  const cwd = join(temporaryDirectory(), "shop");
  mkdirSync(cwd);
  const { PATH, SVC_DATA_DIR } = process.env;
  const env = { PATH, SVC_DATA_DIR, HOME: temporaryDirectory(), npm_config_update_notifier: "false" };
  const run = (command: string, ...argv: string[]): string =>
    execFileSync(command, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"] }).toString();
  const svc = (...argv: string[]): string => run(process.execPath, BIN, ...argv);
  run("git", "init", "-q");
  writeFileSync(join(cwd, "package.json"), '{ "name": "shop", "version": "1.0.0", "type": "module" }');
  writeFileSync(join(cwd, "index.html"), "<!doctype html><title>Shop</title>");

  svc("init", "--name", "Shop");
  const server = await startSvc(["--json"], { cwd });
  const token = svc("sign-in", "--as", "ada", "--token").trim();
  expect(token.split(".")).toHaveLength(3);
  svc("dev", "snapshot", "save", "before");

  const { control_key, instances } = runningIn(cwd);
  const secrets = [control_key!, ...instances.map(({ secret_key }) => secret_key), token];
  expect(secrets).toEqual([expect.stringMatching(/^ctl_/), expect.stringMatching(/^sk_/), token]);
  const files = readdirSync(cwd, { recursive: true })
    .map(String)
    .filter((name) => !/^(?:\.git|node_modules)\b/.test(name) && statSync(join(cwd, name)).isFile());
  expect(files.toSorted()).toEqual(["index.html", "package.json", "seed.json", "svc.config.json"]);

  const vite = await startVite(cwd);
  const paths = [...files, ".svc/server.json", ".svc/db.json", `@fs${runningIn(cwd).path}`];
  const served = await Promise.all(paths.map(async (path) => (await fetch(`${vite}/${path}`)).text()));
  expect(served.join("")).toContain("Ada Lovelace");
  const packed = JSON.parse(run("npm", "pack", "--dry-run", "--json")) as [{ files: { path: string }[] }];
  expect(packed[0].files.map(({ path }) => path).toSorted()).toEqual(files.toSorted());
  // What Vite caches is its own.
  run("git", "add", "-A", "--", ".", ":!node_modules");
  expect(run("git", "ls-files").trim().split("\n").toSorted()).toEqual(files.toSorted());
  const texts = [
    ...served,
    ...files.map((name) => readFileSync(join(cwd, name), "utf8")),
    run("git", "diff", "--cached"),
  ];
  for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  await server.stop();
});

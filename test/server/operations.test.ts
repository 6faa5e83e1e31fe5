// Below the faces: the page is compared with the table of faults behind it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { serve } from "../../src/server/index.ts";
import { STORE_FAULTS } from "../../src/server/store/store.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { healthCheck } from "../_health-check.ts";
import { ROOT } from "../_paths.ts";
import { ask, listening } from "../_sockets.ts";

const text = (path: string): Promise<string> => readFile(join(ROOT, path), "utf8");

it("docs/operations.md explains every code of a server that is not ready", async () => {
  const page = await text("docs/operations.md");
  const codes = [...page.matchAll(/^\| `([a-z_]+)` +\| [^|]+\| [^|]+\|$/gm)].map(([, code]) => code!);
  for (const code of ["shutting_down", ...STORE_FAULTS]) expect(codes).toContain(code);
});

it("docs/operations.md names existing metrics only", async () => {
  const server = await serve({ port: 0, store: join(temporaryDirectory(), "db.json"), metrics: true });
  onTestFinished(() => server.close());
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/__svc/metrics`)).text();
  const page = await text("docs/operations.md");
  const named = [...page.matchAll(/`((?:svc|nodejs|process)_[a-z0-9_]+)`/g)].map(([, name]) => name!);
  // Only a database, and the job of a backup, have these.
  const listed = named.filter((name) => !/^svc_(store_(connections|hanging|clock|timeouts)|backup_)/.test(name));
  expect(listed.length).toBeGreaterThan(4);
  for (const name of listed) expect(metrics).toContain(`# HELP ${name} `);
});

it("docs/operations.md has a row for each alert, and the metrics of the rules", async () => {
  const page = await text("docs/operations.md");
  const rules = await text("docs/alerts.yaml");
  const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);
  expect([...page.matchAll(/^\| `(Svc\w+)`/gm)].map(([, name]) => name)).toEqual(alerts);
  const metrics = [...rules.matchAll(/\b(svc_\w+?)(?:_bucket)?\b/g)].map(([, name]) => name!);
  expect(metrics.length).toBeGreaterThan(alerts.length - 4);
  for (const name of metrics) expect(page).toContain(`\`${name}\``);
});

it("The compose file and the systemd unit start svc with existing options", async () => {
  const { stdout: help } = await runCli(["serve", "--help"]);
  const compose = parse(await text("docs/compose.yaml")) as { services: Record<string, { command?: string[] }> };
  const unit = /^ExecStart=(.*)$/m.exec(await text("docs/svc.service"))![1]!;
  const used = [...compose.services["svc-1"]!.command!, ...unit.split(" ")].filter((part) => part.startsWith("--"));
  for (const flag of used) expect(`${help} --json`).toContain(flag.split("=")[0]!);
});

it("The compose file's seed lets the application sign in that it lists, and no other", async () => {
  const { configs, services } = parse(await text("docs/compose.yaml")) as {
    configs: { seed: { content: string } };
    services: Record<string, { command?: string[] }>;
  };
  const publicUrl = services["svc-1"]!.command!.find((part) => part.startsWith("--public-url="))!.split("=")[1]!;
  const seed = JSON.parse(configs.seed.content) as {
    instances: { name: string; subdomain: string; redirect_uris: string[] }[];
  };
  const { port } = await listening({ publicUrl, providers: "simulated", seed });
  const begin = async (uri: string): Promise<number> => {
    const query = new URLSearchParams({ provider: "google", redirect_uri: uri });
    return (await ask(port, { path: `/oauth/authorize?${query.toString()}`, host: new URL(publicUrl).host })).status;
  };
  const listed = seed.instances[0]!.redirect_uris[0]!;
  expect([await begin(listed), await begin("https://attacker.example/callback")]).toEqual([302, 400]);
});

it("The load balancer of the compose file refuses the metrics that svc serves beside it", async () => {
  const { configs, services } = parse(await text("docs/compose.yaml")) as {
    configs: { caddyfile: { content: string } };
    services: Record<string, { command?: string[] }>;
  };
  expect(services["svc-1"]!.command).toContain("--metrics");
  expect(configs.caddyfile.content).toMatch(/^ +respond \/__svc\/metrics 404$/m);
});

it("The Dockerfile copies every file that a server and its health check need", async () => {
  const dockerfile = await text("Dockerfile");
  const directory = temporaryDirectory();
  const lines = dockerfile.split("\n").filter((line) => line.startsWith("COPY --from=build "));
  const copied = lines.flatMap((line) => line.split(" ").filter((part) => part.startsWith("/src/")));
  expect(copied.length).toBeGreaterThan(3);
  for (const path of copied)
    await cp(join(ROOT, path.slice("/src/".length)), join(directory, "app", basename(path)), { recursive: true });
  for (const part of ["types", "lib", "testing"])
    await rm(join(directory, "app/dist", part), { recursive: true, force: true });
  await mkdir(join(directory, "data"));

  const child = spawn(process.execPath, [join(directory, "app/bin/svc.js"), "serve", "--port", "0", "--json"], {
    cwd: join(directory, "data"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(createInterface({ input: child.stdout }), "line");
  await healthCheck(join(directory, "data"));
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await expect(healthCheck(join(directory, "data"))).rejects.toMatchObject({ code: 1 });
});

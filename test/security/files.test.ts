import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { serve } from "../../src/server/index.ts";
import { answering } from "../_answering.ts";
import { CLIENT_SECRET, leaks, SECRET, startSvc } from "../_attacks.ts";
import { runCli } from "../_cli.ts";
import { everyCommand } from "../_every-command.ts";
import { placeIn, plantFile, runningIn, serverFile } from "../_server-file.ts";
import { temporaryDirectory } from "../_files.ts";
import { seedFile } from "../_seed-file.ts";
import { APP, SEED, ADA, NOBODY } from "../_setup.ts";
import { ask } from "../_sockets.ts";

const KEY = SEED.instances[0]!.secret_key;

/** The modes of a directory and its files. */
function modesIn(directory: string): Record<string, string> {
  const modes = [".", ...readdirSync(directory)].map((name) => {
    const { mode } = statSync(join(directory, name));
    return [name, (mode & 0o777).toString(8)];
  });
  return Object.fromEntries(modes) as Record<string, string>;
}

/** Whether a name in a store's place is a directory: itself, or its snapshots. */
function isFolder(name: string): boolean {
  return name === "." || name.endsWith("snapshots");
}

/** A file that names the attacker's server as the local one. */
function plant(directory: string, url = "http://localhost:7999"): Promise<string> {
  const instance = { id: NOBODY, name: "A", subdomain: "a", url, publishable_key: "pk_evil", secret_key: SECRET };
  return plantFile(serverFile(directory, { url, api_url: url, instances: [instance] }));
}

/** A script verifies a token in a directory with such a server, which accepts it. */
function verifyIn(cwd: string): ReturnType<typeof runCli> {
  const body = JSON.stringify({ id: ADA, resource: "token", data: { valid: true } });
  return runCli(["tokens", "verify", "-q", "-"], { cwd, stdin: "a.b.c", fetch: answering(200, body) });
}

describe("T40: Secrets on this machine", () => {
  it("cannot be passed by a flag", async () => {
    const commands = await everyCommand();
    expect(commands.map(({ path }) => path.join(" "))).toEqual(
      expect.arrayContaining(["serve", "users delete", "tokens verify", "sign-in"]),
    );
    const flags = commands.map(({ help }) => help.match(/--[\w-]+ [<[][^\s>\]]+/g) ?? []);
    expect(flags.flat().length).toBeGreaterThan(10);
    const secret = flags.flat().filter((flag) => /secret|key|token|password|credential/i.test(flag));
    expect(secret.filter((flag) => !flag.startsWith("--publishable-key "))).toEqual([]);
  });

  it.each([
    ["--secret-key", SECRET],
    [`--secret-key=${SECRET}`],
    ["users", "list", "--secret-key", SECRET],
    ["users", "get", SECRET],
    ["users", "list", SECRET],
    [`--base-url=${SECRET}`, "users", "list"],
    ["serve", "--seed", SECRET],
  ])("in an argument are refused and not repeated: %s %s", async (...argv) => {
    const { code, stdout, stderr, requests } = await runCli(argv.filter((argument) => argument !== undefined));
    expect([code, stdout, requests]).toEqual([2, "", []]);
    expect(stderr).toContain("SVC_SECRET_KEY");
    expect(leaks([stderr], [SECRET])).toEqual([]);
  });

  describe.skipIf(process.platform === "win32")("in files", () => {
    it("are readable by their owner only, whatever the umask", async () => {
      const cwd = temporaryDirectory();
      const command = ["/bin/sh", "-c", `umask 000; exec "$0" "$@"`, process.execPath];
      const server = await startSvc(["--json", "--seed", seedFile()], { cwd, command });
      const token = `/oauth/authorize?provider=google&login_hint=ada&redirect_uri=${APP}`;
      for (let i = 0; i < 20; i++) expect((await ask(server.port, { path: token })).status).toBe(302);
      const place = placeIn(cwd);
      const running = modesIn(place);
      expect(Object.keys(running)).toEqual(expect.arrayContaining(["folder", "db.journal"]));
      expect(new Set(Object.values(modesIn(dirname(runningIn(cwd).path))))).toEqual(new Set(["700", "600"]));
      await server.stop();
      const stopped = modesIn(place);
      expect(Object.keys(stopped)).toContain("db.json");
      // The lock is a socket in a directory that others cannot open.
      for (const [name, mode] of [...Object.entries(running), ...Object.entries(stopped)])
        if (!name.endsWith(".lock")) expect([name, mode]).toEqual([name, isFolder(name) ? "700" : "600"]);
    });

    it("are readable by their owner only without a store, too", async () => {
      const cwd = temporaryDirectory();
      const command = ["/bin/sh", "-c", `umask 000; exec "$0" "$@"`, process.execPath];
      await startSvc(["--json", "--store", "memory"], { cwd, command });
      expect(modesIn(placeIn(cwd))).toEqual({ ".": "700", folder: "600" });
      expect(new Set(Object.values(modesIn(dirname(runningIn(cwd).path))))).toEqual(new Set(["700", "600"]));
    });

    it("get owner-only modes again at a start after someone changed them, or a repository brought them, with a warning", async () => {
      const directory = join(temporaryDirectory(), "data");
      const warnings: string[] = [];
      const warn = (message: string): void => void warnings.push(message);
      const options = { port: 0, store: join(directory, "db.json"), warn };
      await (await serve({ ...options, seed: seedFile() })).close();
      expect(warnings).toEqual([]);
      for (const name of ["db.json", "db.journal"]) chmodSync(join(directory, name), 0o644);
      chmodSync(directory, 0o755);
      const server = await serve(options);
      const modes = modesIn(directory);
      await server.close();
      for (const [name, mode] of Object.entries(modes))
        if (!name.endsWith(".lock") && !isFolder(name)) expect([name, mode]).toEqual([name, "600"]);
      const paths = ["db.json", "db.journal"].map((name) => join(directory, name)).join(" and ");
      expect(warnings).toEqual([expect.stringContaining(`Until now everyone on this machine could read ${paths}. `)]);
      // Once.
      await (await serve(options)).close();
      expect(warnings).toHaveLength(1);
    });

    it("are in no process's arguments, and in no file of the project", async () => {
      const cwd = temporaryDirectory();
      const env = { SVC_GOOGLE_CLIENT_ID: "id", SVC_GOOGLE_CLIENT_SECRET: CLIENT_SECRET, SVC_SECRET_KEY: SECRET };
      const server = await startSvc(["--json", "--seed", seedFile()], { cwd, env });
      if (process.platform === "linux") {
        const cmdline = readFileSync(`/proc/${server.child.pid}/cmdline`, "utf8");
        expect(cmdline).toContain("serve");
        expect(leaks([cmdline], [CLIENT_SECRET, SECRET, KEY])).toEqual([]);
      }
      expect(readdirSync(cwd)).toEqual([]);
    });

    it("written by the server are used by commands in the same directory", async () => {
      const cwd = temporaryDirectory();
      await plant(cwd);
      expect((await verifyIn(cwd)).code).toBe(0);
    });

    it("that others can write name no server, which would get every token and could accept any", async () => {
      const cwd = temporaryDirectory();
      chmodSync(await plant(cwd), 0o666);
      const { code, requests } = await verifyIn(cwd);
      expect([code, requests]).toEqual([4, []]);
    });

    it.skipIf(process.getuid?.() !== 0)("that belong to another user name no server", async () => {
      const cwd = temporaryDirectory();
      chownSync(await plant(cwd), 65_534, 65_534);
      const inner = join(cwd, "project");
      mkdirSync(inner);
      const { code, requests } = await verifyIn(inner);
      expect([code, requests]).toEqual([4, []]);
    });
  });
});

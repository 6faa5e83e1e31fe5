// Below the faces: links and files that another user has planted, and the rules of addresses and cookies.
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { isConfidential } from "../../src/http/address.ts";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { plantFile, serverFile } from "../_server-file.ts";
import { setup } from "../_setup.ts";
import { authenticateRequest } from "../../src/client/authenticate.ts";

/** Files that a repository, an archive or another user may have placed in a directory where svc runs. */
let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

const SERVER = {
  url: "http://127.0.0.1:9",
  api_url: "http://127.0.0.1:9",
  instances: [
    {
      id: "i",
      name: "Acme",
      subdomain: "acme",
      url: "http://127.0.0.1:9",
      publishable_key: "pk_planted",
      secret_key: `sk_${"p".repeat(43)}`,
    },
  ],
};

describe("A symbolic link in the store's directory", () => {
  it.each(["db.journal"])("called %s is not followed", async (name) => {
    const victim = join(directory, "precious");
    await writeFile(victim, "precious, without an end", { mode: 0o644 });
    const path = join(directory, "data/db.json");
    await mkdir(join(directory, "data"));
    await symlink(victim, join(directory, "data", name));
    const store = await openFileStore(path, { warn: () => {} }).catch(() => undefined);
    await store?.close();
    expect(store).toBeUndefined();
    expect(await readFile(victim, "utf8")).toBe("precious, without an end");
    expect((await stat(victim)).mode & 0o777).toBe(0o644);
  });

  it("to the directory itself does not change the mode of its target", async () => {
    const other = join(directory, "public");
    await mkdir(other, { mode: 0o755 });
    await symlink(other, join(directory, "data"));
    const store = await openFileStore(join(directory, "data/db.json"), { warn: () => {} });
    await store.close();
    expect((await stat(other)).mode & 0o777).toBe(0o755);
  });
});

describe("A server's file in a data directory that others can write to", () => {
  const plant = (changes: object = {}): Promise<string> => plantFile({ ...serverFile(directory, SERVER), ...changes });

  it("is sent no token if others can read it, as nothing that svc serve writes", async () => {
    await chmod(await plant(), 0o644);
    const { code, stderr } = await runCli(["tokens", "verify", "-"], { cwd: directory, stdin: "a.b.c" });
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.not.stringContaining("127.0.0.1:9") as string });
  });

  it("does not block the command when it is a pipe", async () => {
    const path = await plant();
    await rm(path);
    execFileSync("mkfifo", ["-m", "600", path]);
    expect((await runCli(["whoami"], { cwd: directory })).stdout).not.toContain("127.0.0.1:9");
    await rm(path);
  });

  it("does not choose what is opened", async () => {
    await plant({ url: "file:///tmp/Evil.app/" });
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<void> => void opened.push(url);
    const { code } = await runCli(["open"], { cwd: directory, openBrowser });
    expect({ code, opened }).toEqual({ code: 4, opened: [] });
  });

  it("completes to nothing that a shell would run", async () => {
    await plant({ instances: [{ ...SERVER.instances[0]!, subdomain: "acme$(touch${IFS}pwned)" }] });
    const { stdout } = await runCli(["__complete"], {
      cwd: directory,
      stdin: "svc whoami --instance ",
    });
    expect(stdout).not.toContain("$(");
  });
});

it.each([
  ["http://127.0.0.1:7820", true],
  ["http://acme.localhost:7820", true],
  ["http://[::1]:7820", true],
  ["https://svc.example", true],
  ["http://svc.example", false],
  ["http://127.0.0.1.evil.example", false],
  ["http://127.evil.example", false],
  ["http://localhost.evil.example", false],
])("a key is sent to %s: %s", (url, expected) => {
  expect(isConfidential(new URL(url))).toBe(expected);
});

it("a cookie whose name matches only after trimming a space is another cookie", async () => {
  const service = await setup();
  const token = await service.tokenFor("google", "ada");
  const options = { secretKey: service.acme.secret_key, cookie: "__Host-token", now: () => service.clock.now() };
  const by = async (cookie: string): Promise<string> =>
    (await authenticateRequest({ headers: { cookie } }, options)).status;
  expect(await by(`__Host-token=${token}`)).toBe("signed-in");
  expect(await by(`a=b; __Host-token=${token}`)).toBe("signed-in");
  for (const space of ["\u00a0", "\u2003", "\ufeff", "\u000b"])
    expect(await by(`${space}__Host-token=${token}`)).toBe("signed-out");
});

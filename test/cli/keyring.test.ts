import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../_files.ts";
import { needs } from "../_machine.ts";
import { BIN } from "../_paths.ts";

const KEY = "sk_kept_0123456789abcdefghijklmnopqrstuvwxyz";
const run = promisify(execFile);

let home: string;
beforeEach(() => {
  home = temporaryDirectory();
});

/** A shell script that runs `svc`. */
async function shell(script: string, wrapper: readonly string[] = []): Promise<string> {
  await writeFile(join(home, "script"), `svc() { '${process.execPath}' '${BIN}' "$@"; }\n${script}`);
  const env = { HOME: home, PATH: process.env["PATH"], NODE_DISABLE_COMPILE_CACHE: "1" };
  const { stdout } = await run(
    wrapper[0] ?? "bash",
    [...wrapper.slice(1), ...(wrapper[0] ? ["bash"] : []), join(home, "script")],
    { env },
  );
  return stdout;
}

const LOGIN = `echo ${KEY} | svc login --no-check --base-url https://acme.svc.test`;

describe("A key in the system's keyring", needs("a keyring", "bash"), () => {
  it("is stored, used and removed, and is in no file", async () => {
    const stdout = await shell(
      `echo -n password | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1
       ${LOGIN}
       svc whoami | grep secret_key
       grep -rl sk_ "$HOME/.config" "$HOME/.local" | xargs -r grep -l '${KEY}'
       svc logout
       svc whoami | grep secret_key`,
      ["dbus-run-session", "--"],
    );
    expect(stdout.split("\n")).toEqual([
      "Logged in to https://acme.svc.test. The key is in the keyring.",
      "secret_key\tsk_…wxyz  (profile acme (keyring))",
      'Deleted the key of profile "acme".',
      "secret_key\t(none)",
      "",
    ]);
  });
});

describe("A key on a system without a keyring daemon", needs("bash"), () => {
  it("is not stored unless a file is requested", async () => {
    const stdout = await shell(`
      export DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere
      ${LOGIN} 2>&1; echo "exit $?"
      ls -A "$HOME"
      ${LOGIN} --insecure-storage 2>/dev/null
      svc whoami | grep secret_key
      stat -c %a "$HOME"/.config/svc/profiles/acme.json`);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^✗ No keyring is available \(.+\)\.$/),
      expect.stringContaining("svc login --insecure-storage"),
      "exit 1",
      "script",
      "Logged in to https://acme.svc.test. The key is in a file that only you can read, unencrypted.",
      "secret_key\tsk_…wxyz  (profile acme (file))",
      "600",
      "",
    ]);
  });
});

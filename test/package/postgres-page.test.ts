import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { blocks, installed, run } from "../_documents.ts";
import { admin, createDatabase, execute } from "../postgres/_postgres.ts";

const own = blocks.filter(({ page }) => page === "docs/postgres.md");
const HAPROXY = "/usr/sbin/haproxy";
const written = (language: string): string[] =>
  own.filter((block) => block.language === language).map(({ code }) => code);

/** A server started as on the page, on an existing database. @param command the command line */
async function starts(command: string, url: URL, bin: Record<string, string> = {}): Promise<void> {
  const directory = await installed();
  for (const [name, script] of Object.entries(bin))
    await writeFile(join(directory, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { PGHOST: url.hostname, PGPORT: url.port, PGUSER: url.username, PGPASSWORD: url.password };
  const shell = run(directory, ["bash", "-ec", command.replace("postgres:///svc", `postgres://${url.pathname}`)], env);
  await shell.until(/(Front door)/);
}

describe("docs/postgres.md", () => {
  it("has a test for every block of code", () => {
    const left = own.filter(({ language }) => !["sh", "sql", "haproxy"].includes(language));
    expect([left, written("sh").length, written("sql").length, written("haproxy").length]).toEqual([[], 1, 1, 1]);
  });

  it("starts a server on a new database", async () => {
    const [code = ""] = written("sh");
    // The packages of the tests bring PostgreSQL without createdb.
    const url = await createDatabase("ENCODING 'UTF8' TEMPLATE template0");
    await starts(code, new URL(url), { createdb: '[ "$*" = "--encoding=UTF8 --template=template0 svc" ]' });
    expect([...(await admin(url)`SELECT count(*)::int AS count FROM svc.instances`)]).toEqual([{ count: 2 }]);
  });

  it("grants a role exactly the rights that a server needs", async () => {
    const [code = ""] = written("sql");
    const url = await createDatabase();
    const role = `svc_app_${randomBytes(4).toString("hex")}`;
    await starts("npx svc-identity serve --store postgres:///svc", new URL(url));
    await execute(url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'; ${code.replaceAll("svc_app", role)}`);
    onTestFinished(() => execute(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`));
    const as = Object.assign(new URL(url), { username: role, password: "x" });
    await starts("npx svc-identity serve --store postgres:///svc", as);
    await expect(admin(as.href)`DELETE FROM svc.migrations`).rejects.toMatchObject({ code: "42501" });
  });

  it.skipIf(!existsSync(HAPROXY) && !process.env["CI"])("has a valid HAProxy configuration", async () => {
    const [code = ""] = written("haproxy");
    const directory = await installed();
    const defaults = "defaults\n  timeout client 30s\n  timeout server 30s\n  timeout connect 5s\n";
    await writeFile(join(directory, "haproxy.cfg"), `${defaults}${code}\n`);
    const check = run(directory, [HAPROXY, "-c", "-f", "haproxy.cfg"]);
    expect(await check.code, check.output()).toBe(0);
  });
});

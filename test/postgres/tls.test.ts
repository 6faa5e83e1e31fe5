// Below the faces: each sslmode opens a store without a server of its own.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPostgresStore } from "../../src/server/store/postgres/postgres-store.ts";
import { runCli } from "../_cli.ts";
import { temporaryDirectory } from "../_files.ts";
import { admin, execute, startCluster } from "./_postgres.ts";

describe.skipIf(!existsSync("/usr/bin/openssl"))("TLS to PostgreSQL", () => {
  it("is used as sslmode says, and trusts a certificate only with its authority", async () => {
    const cluster = await startCluster(["fsync = off"]);
    const data = cluster.data;
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
        "-keyout",
        `${data}/server.key`,
        "-out",
        `${data}/server.crt`,
      ],
      { stdio: "ignore" },
    );
    await cluster.own("server.key", "server.crt");
    await execute(cluster.url("postgres"), "ALTER SYSTEM SET ssl = on");
    await execute(cluster.url("postgres"), "ALTER SYSTEM SET listen_addresses = '*'");
    await appendFile(join(data, "pg_hba.conf"), "host all all all scram-sha-256\n");
    await cluster.control("restart", "-m", "fast");
    const url = cluster.url("postgres").replace("127.0.0.1", "localhost");
    const used = async (parameters: string): Promise<boolean> => {
      const store = await openPostgresStore(`${url}?application_name=tls&${parameters}`, { warn: () => {} });
      const [row] = await admin(url).unsafe(
        "SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tls'",
      );
      await store.close();
      return row!["ssl"] as boolean;
    };
    expect(await used("sslmode=disable")).toBe(false);
    expect(await used("sslmode=require")).toBe(true);
    expect(await used(`sslmode=verify-full&sslrootcert=${data}/server.crt`)).toBe(true);
    await expect(used("sslmode=verify-full")).rejects.toThrow(
      /certificate is not trusted\. Name its authority with sslrootcert/,
    );
    const elsewhere = `${url.replace("localhost", "127.0.0.1")}?sslmode=verify-full&sslrootcert=${data}/server.crt`;
    await expect(openPostgresStore(elsewhere, { warn: () => {} })).rejects.toThrow(
      /does not match certificate.*Connect by a name that the certificate contains, or accept any with sslmode=verify-ca/s,
    );
    const verifiedByAuthority = elsewhere.replace("verify-full", "verify-ca");
    await (await openPostgresStore(verifiedByAuthority, { warn: () => {} })).close();
    // As in libpq, require with a root certificate verifies the chain.
    const stranger = new URL("../../package.json", import.meta.url).pathname;
    await expect(used(`sslmode=require&sslrootcert=${stranger}`)).rejects.toThrow(
      /sslrootcert that contains no certificate/,
    );

    const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    const outside = own.find(({ internal, family }) => !internal && family === "IPv4")?.address;
    if (outside === undefined) return;
    const there = cluster.url("postgres").replace("127.0.0.1", outside);
    await expect(openPostgresStore(there, { warn: () => {} })).rejects.toThrow(/certificate is not trusted/);
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    for (const mode of ["require", "disable"])
      await (await openPostgresStore(`${there}?sslmode=${mode}`, { warn })).close();
    expect(warnings.filter((text) => text.includes("sslmode"))).toEqual([
      expect.stringMatching(/certificate is not verified \(sslmode=require\).*Use sslmode=verify-full\.$/),
      expect.stringMatching(/not encrypted \(sslmode=disable\).*Use sslmode=verify-full\.$/),
    ]);

    const SVC_STORE = `${there}?sslmode=disable`;
    const copy = join(temporaryDirectory(), "db.json");
    for (const words of [["check"], ["migrate"], ["export"], ["copy", SVC_STORE, copy]]) {
      const { stderr } = await runCli(["store", ...words], { env: { SVC_STORE } });
      expect([words[0], stderr.match(/not encrypted \(sslmode=disable\)/g)?.length]).toEqual([words[0], 1]);
    }
  });
});

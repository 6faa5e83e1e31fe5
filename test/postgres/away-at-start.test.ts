import { readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../_paths.ts";
import { createDatabase, execute, startCluster } from "./_postgres.ts";
import { serve } from "./_serve.ts";
import { awaitServer } from "./_store.ts";

awaitServer();

const [, prevented = ""] =
  /^RestartPreventExitStatus=(.*)$/m.exec(readFileSync(`${ROOT}/docs/svc.service`, "utf8")) ?? [];

/** A server that answers every connection with an error of PostgreSQL, or with nothing. @returns the address of a database */
async function refusing(code: string, message: string): Promise<string> {
  const fields = ["SFATAL", "VFATAL", `C${code}`, `M${message}`, ""];
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(""));
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    if (code !== "") socket.end(Buffer.concat([Buffer.from([0x45, 0, 0, 0, body.length + 4]), body]));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `postgres://ada@127.0.0.1:${(server.address() as AddressInfo).port}/svc?sslmode=disable`;
}

async function withUrl(change: (url: URL) => void): Promise<string> {
  const url = new URL(await createDatabase());
  change(url);
  return url.href;
}

async function standby(): Promise<string> {
  const cluster = await startCluster();
  const follower = await cluster.startStandby();
  return follower.url("postgres");
}

/** The database as a role that may have no connection. */
async function limited(): Promise<string> {
  const url = new URL(await createDatabase());
  const role = `limited_${process.pid}_${Date.now()}`;
  await execute(url.href, `CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 0`);
  onTestFinished(() => execute(url.href, `DROP ROLE ${role}`));
  return Object.assign(new URL(url), { username: role, password: "x" }).href;
}

/** What a supervisor sees of a server that does not start. */
async function ended(store: string) {
  const refusal = await serve(store);
  if ("send" in refusal) throw new Error("The server started.");
  const { error } = JSON.parse(refusal.stderr.trim().split("\n").at(-1)!) as { error: { code: string } };
  return { code: refusal.code, error: error.code, isTriedAgain: !prevented.split(" ").includes(String(refusal.code)) };
}

it.each<[string, () => Promise<string>]>([
  ["refuses connections", () => withUrl((url) => (url.port = "1"))],
  ["has an unknown name", () => withUrl((url) => (url.hostname = "nowhere.invalid"))],
  ["does not answer", () => refusing("", "")],
  ["starts up", () => refusing("57P03", "the database system is starting up")],
  ["is closed to connections", () => refusing("55000", 'database "svc" is not currently accepting connections')],
  ["has no connection left", () => refusing("53300", "sorry, too many clients already")],
  ["has no connection left for the role", limited],
  ["is behind a pooler that can't reach it", () => refusing("08P01", "server login has been failing")],
  ["is a standby", standby],
])("A database that %s at a start ends it with 1, and systemd starts it again", async (_, store) => {
  expect(await ended(await store())).toEqual({ code: 1, error: "store_unavailable", isTriedAgain: true });
});

it.each<[string, () => Promise<string>]>([
  ["refuses the password", () => withUrl((url) => (url.password = "geheim"))],
  ["does not exist", () => withUrl((url) => (url.pathname = "/nowhere"))],
  ["refuses the login", () => refusing("28000", "no pg_hba.conf entry for host")],
])("A database that %s at a start ends it with 9, and systemd does not start it again", async (_, store) => {
  expect(await ended(await store())).toEqual({ code: 9, error: "store_unusable", isTriedAgain: false });
});

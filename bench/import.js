// Measures the memory that `svc store import` takes beside that of the server that then has the store, and the time:
// `npm run bench -- import`, or `node bench/import.js 300000 1000000`. A million users take some minutes and 4 GB of disk.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { instanceOf } from "./instance.js";
import { report } from "./report.js";
import { memoryOf, peakOf, start } from "./server.js";

const INSTANCE = "00000000-0000-4000-8000-000000000001";
const SVC = new URL("../bin/svc.js", import.meta.url).pathname;
/** By then V8 has given back what reading took. */
const QUIET_MS = 20_000;
const MB = 1 << 20;

for (const count of process.argv.slice(2).map(Number)) {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  try {
    const [file, store] = [join(directory, "export.ndjson"), join(directory, "store/db.json")];
    await writeExport(file, count);
    const imported = await peakOfRun([SVC, "store", "import", file, "--store", store]);
    const server = await start([SVC, "serve", "--port", "0", "--json", "--quiet", "--store", store], directory);
    await delay(QUIET_MS);
    const [served, peak] = [await memoryOf(server.pid), await peakOf(server.pid)];
    await server.stop();
    const detail = `${mb(imported.peak)} in ${(imported.ms / 1000).toFixed(0)} s; served ${mb(served)}, at most ${mb(peak)}`;
    report(`Node ${process.version}, ${count} users, each with an identity and a session`, [
      { name: "memory of an import, at most / of the server", limit: "≤ 1", ratio: imported.peak / served, detail },
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function mb(bytes) {
  return `${(bytes / MB).toFixed(0)} MB`;
}

/** The most memory of a command, and how long it takes. */
async function peakOfRun(args) {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  const ended = once(child, "close");
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, await peakOf(child.pid));
    await Promise.race([ended, delay(50)]);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`svc ${args.slice(1).join(" ")} ended with ${code}`);
  return { peak, ms: performance.now() - started };
}

async function writeExport(path, users) {
  const out = createWriteStream(path);
  const hash = createHash("sha256");
  const write = async (text, isHashed = true) => {
    if (isHashed) hash.update(text);
    if (!out.write(text)) await once(out, "drain");
  };
  const line = (table, record) => `${JSON.stringify({ table, record })}\n`;
  const writeMany = async (table, make) => {
    for (let n = 0; n < users; n += 1000)
      await write(Array.from({ length: Math.min(1000, users - n) }, (_, i) => line(table, make(n + i))).join(""));
  };
  await write(`${JSON.stringify({ format: "svc-identity-export", version: 5 })}\n`);
  await write(line("instances", instanceOf(INSTANCE, 0)));
  await writeMany("users", user);
  await writeMany("identities", identity);
  await writeMany("sessions", session);
  const end = { instances: 1, personas: 0, users, identities: users, sessions: users };
  await write(`${JSON.stringify({ end, sha256: hash.digest("hex") })}\n`, false);
  out.end();
  await once(out, "close");
}

function id(kind, n) {
  return `0000000${kind}-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

function timesOf(n) {
  const time = new Date(Date.UTC(2023, 0, 1) + n * 1000).toISOString();
  return { created_at: time, updated_at: time };
}

function user(n) {
  const [email, name] = [`user${n}.someone@example${n % 500}.test`, `Some Person ${n}`];
  const nothing = { avatar_url: null, email_verified_at: null, password_digest: null };
  return { id: id(1, n), instance_id: INSTANCE, email, name, ...nothing, ...timesOf(n) };
}

function identity(n) {
  const { email } = user(n);
  const tokens = { access_token: null, refresh_token: null, token_expires_at: null };
  const account = { provider: "google", uid: String(n), email, email_verified: true };
  return { id: id(2, n), instance_id: INSTANCE, user_id: id(1, n), ...account, ...tokens, ...timesOf(n) };
}

function session(n) {
  const { email, name } = user(n);
  const { created_at } = timesOf(n);
  const owner = { instance_id: INSTANCE, user_id: id(1, n), provider: "google", name, email };
  const times = { logged_in_at: created_at, last_signin_at: created_at, revoked_at: null, created_at };
  return {
    id: id(3, n),
    session_id: `svc_session_${id(3, n)}`,
    ...owner,
    ip_address: "203.0.113.7",
    geo_data: {},
    ...times,
  };
}

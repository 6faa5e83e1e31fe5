// Measures the client against bare undici on the same requests: `npm run build && node bench/client.js`.
// Both ask one server, in turn, within one run, each in a thread of its own, so that V8 makes up its mind about either
// by what it does itself; medians of their times are compared.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Agent, request } from "undici";
import { createClient } from "../dist/client.js";

/* eslint-disable unicorn/require-post-message-target-origin -- threads have no origin */

const CONCURRENCY = 64;
const CALLS = 6_000;
const ROUNDS = 9;
const ASKED = 1.3;

const ID = "00000000-0000-4000-8000-0000000000a1";
const KEY = "sk_bench_0123456789abcdefghijklmnopqrstuvwxyz";
const user = {
  id: ID,
  resource: "user",
  data: {
    email: "ada@acme.test",
    name: "Ada Lovelace",
    avatar_url: "https://acme.test/avatars/ada.png",
    email_verified: true,
    providers: ["google", "github"],
    created_at: "2026-01-05T09:00:00.000Z",
  },
};
const page = Array.from({ length: 100 }, () => user);
const token = { id: ID, resource: "token", data: { ...user.data, valid: true, provider: "google" } };

const TOKEN = "x".repeat(400);

const cases = [
  { name: "users.get", answer: user, path: `/api/v1/users/${ID}`, call: (client) => client.users.get(ID) },
  {
    name: "users.list of 100",
    answer: page,
    path: "/api/v1/users?limit=100",
    call: (client) => client.users.list({ limit: 100 }),
  },
  {
    name: "tokens.verify",
    answer: token,
    path: "/api/v1/tokens/verify",
    body: JSON.stringify({ token: TOKEN }),
    call: (client) => client.tokens.verify(TOKEN),
  },
];

if (isMainThread) await compareAll();
else answerRounds(contender(workerData));

async function compareAll() {
  console.log(`Node ${process.version}, ${CONCURRENCY} calls at once, medians of ${ROUNDS} rounds of ${CALLS}\n`);
  for (const [index, { name, answer, body }] of cases.entries()) {
    const options = JSON.stringify({ kind: body === undefined ? "read" : "parse", answer: JSON.stringify(answer) });
    const server = spawn(process.execPath, [new URL("bare.js", import.meta.url).pathname, options], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(server.stdout, "data");
    const origin = `http://127.0.0.1:${JSON.parse(line).port}`;
    const [bare, ours] = ["bare", "ours"].map((kind) => start({ kind, index, origin }));
    const times = { bare: [], ours: [] };
    await bare.round();
    await ours.round();
    for (let round = 0; round < ROUNDS; round++) {
      times.bare.push(await bare.round());
      times.ours.push(await ours.round());
    }
    await Promise.all([bare.stop(), ours.stop()]);
    server.kill();

    const [a, b] = [median(times.ours), median(times.bare)];
    const perSecond = (ms) => Math.round((CALLS / ms) * 1000);
    console.log(
      `${a / b <= ASKED ? "✓" : "✗"} ${`${name} / bare undici`.padEnd(34)} ${(a / b).toFixed(2)}   asked ≤ ${ASKED}   ` +
        `${perSecond(a)} / ${perSecond(b)} per second`,
    );
  }
}

/** One of the two in a thread of its own, to be asked for rounds. */
function start(data) {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  return {
    async round() {
      worker.postMessage("round");
      const [milliseconds] = await once(worker, "message");
      return milliseconds;
    },
    stop: () => worker.terminate(),
  };
}

function answerRounds(call) {
  parentPort.on("message", () => void time(call).then((milliseconds) => parentPort.postMessage(milliseconds)));
}

/** What makes one call. */
function contender({ kind, index, origin }) {
  const { path, body, call } = cases[index];
  if (kind === "ours") {
    const client = createClient({ secretKey: KEY, baseUrl: origin });
    return () => call(client);
  }
  const dispatcher = new Agent();
  const method = body === undefined ? "GET" : "POST";
  const headers = {
    accept: "application/json",
    "x-service-secret-key": KEY,
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  return async () => (await request(`${origin}${path}`, { method, headers, body, dispatcher })).body.json();
}

/** Milliseconds that all calls take, so many at once. */
async function time(call) {
  let left = CALLS;
  const from = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await call();
    }),
  );
  return performance.now() - from;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

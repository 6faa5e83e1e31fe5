// Below the faces: what is on the disk is read as the next start reads it.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../../src/server/store/file/file-store.ts";
import { BIN } from "../_paths.ts";
import { abandoned } from "../store/_abandoned.ts";
import { all } from "../store/_records.ts";
import { directory, figure } from "./_processes.ts";

const ACME = "00000000-0000-4000-8000-00000000000a";
const SECRET_KEY = "sk_acme_0123456789abcdefghijklmnopqrstuvwxyz";
/** More than sign in before the last kill. */
const PEOPLE = figure(1000, 20_000);

/** A seed with one instance and many personas with a Google account. */
async function seedFile(place: string): Promise<string> {
  const path = join(place, "seed.json");
  const personas = Array.from({ length: PEOPLE }, (_, n) => ({
    id: `p${n}`,
    name: `Person ${n}`,
    email: `p${n}@acme.test`,
    google: { sub: String(n), email_verified: true },
  }));
  const instances = [{ id: ACME, name: "Acme", subdomain: "acme", secret_key: SECRET_KEY }];
  await writeFile(path, JSON.stringify({ instances, personas }));
  return path;
}

interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
}

/** `svc serve`, as a person would start it. */
async function serve(place: string): Promise<Server> {
  const isNew = !existsSync(join(place, "db.json")) && !existsSync(join(place, "db.journal"));
  const flags = ["--port", "0", "--store", join(place, "db.json"), "--json", "--quiet"];
  if (isNew) flags.push("--seed", join(place, "seed.json"));
  const child = spawn(process.execPath, [BIN, "serve", ...flags], { cwd: place, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit") as Server["ended"];
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value, done } = await lines.next();
  if (done) throw new Error(`svc serve ended with ${String((await ended)[0])}`);
  return { url: (JSON.parse(value) as { url: string }).url, child, ended };
}

type Reply = { kind: "answer"; status: number; location: string; body: string } | { kind: "none" | "broken" };

/** One request on its own connection. Broken: the answer began and did not end. */
async function ask(url: string, method = "GET"): Promise<Reply> {
  return new Promise((resolve) => {
    const headers = { "x-service-secret-key": SECRET_KEY };
    const call = request(url, { method, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => (body += text));
      response.on("close", () => {
        const { statusCode: status = 0, headers: answered, complete } = response;
        resolve(complete ? { kind: "answer", status, location: answered.location ?? "", body } : { kind: "broken" });
      });
    });
    call.on("error", () => resolve({ kind: "none" }));
    call.end();
  });
}

/** A whole sign-in. @returns whether the application has got a token */
async function signIn({ url }: Server, n: number): Promise<boolean> {
  const query = new URLSearchParams({
    provider: "google",
    redirect_uri: "http://localhost:3000/callback",
    login_hint: `p${n}`,
  });
  let location = `${url}/oauth/authorize?${query.toString()}`;
  for (let hop = 0; hop < 3; hop++) {
    const reply = await ask(location);
    if (reply.kind !== "answer") return false;
    expect([reply.status, reply.body]).toEqual([302, ""]);
    ({ location } = reply);
  }
  expect(location).toContain("token=");
  return true;
}

/** The people that a start would find, and their ids. */
async function peopleIn(place: string): Promise<Map<number, string>> {
  const store = await openFileStore(await abandoned(join(place, "db.json")), { warn: () => {} });
  const views = await all(store.users(ACME, {}));
  await store.close();
  return new Map(views.map(({ user }) => [Number(/^p(\d+)@/.exec(user.email)![1]), user.id]));
}

const KILLS = figure(6, 100);

it(`${KILLS} kills of svc serve under 16 writers lose no sign-in and restore no deleted user`, async () => {
  const place = await directory();
  await seedFile(place);
  const kept = new Set<number>();
  const gone = new Set<number>();
  let users = new Map<number, string>();
  let next = 0;
  let acknowledgements = 0;
  const faults: string[] = [];
  for (let round = 0; round < KILLS; round++) {
    const server = await serve(place);
    const arrived = { count: 0 };
    const victims = [...users].filter(([n]) => kept.has(n) && n % 3 === 0);
    const writer = async (): Promise<void> => {
      while (next < PEOPLE && server.child.exitCode === null && server.child.signalCode === null) {
        const n = next++;
        if (!(await signIn(server, n))) return;
        kept.add(n);
        arrived.count++;
        // A state saved, one taken, a user written.
        acknowledgements += 3;
        const [victim, id] = victims.pop() ?? [];
        if (victim === undefined || id === undefined) continue;
        // Until it is answered it may have happened or not.
        kept.delete(victim);
        const reply = await ask(`${server.url}/api/v1/users/${id}`, "DELETE");
        if (reply.kind !== "answer") return;
        expect(reply.status).toBe(200);
        gone.add(victim);
        acknowledgements++;
      }
    };
    // By number and not by time, because on a fast machine there would be no people left for the last round.
    const wanted = 1 + Math.random() * 100;
    const writers = Array.from({ length: 16 }, writer);
    while (arrived.count < wanted) await delay(1);
    server.child.kill("SIGKILL");
    await Promise.all([server.ended, ...writers]);
    users = await peopleIn(place);
    faults.push(...[...kept].filter((n) => !users.has(n)).map((n) => `kill ${round}: lost: ${n}`));
    faults.push(...[...gone].filter((n) => users.has(n)).map((n) => `kill ${round}: resurrected: ${n}`));
  }
  expect(faults).toEqual([]);
  expect(kept.size).toBeGreaterThan(gone.size);
  console.log(
    `${KILLS} kills of svc serve, ${acknowledgements} acknowledged changes: 0 lost, 0 resurrected, 0 refusals`,
  );
});

const STOPS = figure(5, 200);

it(`${STOPS} stops of svc serve under 64 clients cut no response and leave no change unanswered`, async () => {
  const place = await directory();
  await seedFile(place);
  const answered = { answer: 0, none: 0, broken: 0 };
  const known = new Set<string>();
  for (let round = 0; round < STOPS; round++) {
    const server = await serve(place);
    const begun: string[] = [];
    const client = async (): Promise<void> => {
      const query = new URLSearchParams({ provider: "google", redirect_uri: `http://localhost:3000/callback` });
      for (;;) {
        const reply = await ask(`${server.url}/oauth/authorize?${query.toString()}`);
        answered[reply.kind]++;
        if (reply.kind !== "answer") return;
        expect(reply.status).toBe(302);
        begun.push(new URL(reply.location).searchParams.get("state")!);
      }
    };
    const clients = Array.from({ length: 64 }, client);
    const wanted = answered.answer + 20 + Math.random() * 100;
    while (answered.answer < wanted) await delay(1);
    server.child.kill(round % 2 === 0 ? "SIGTERM" : "SIGINT");
    const [[code, signal]] = await Promise.all([server.ended, ...clients]);
    expect([code, signal]).toEqual([0, null]);
    const { states } = JSON.parse(await readFile(join(place, "db.json"), "utf8")) as { states: { state: string }[] };
    // All that was answered, and nothing that was not. Those of earlier rounds may have expired.
    const found = states.map(({ state }) => state).filter((state) => !known.has(state));
    expect(found.toSorted()).toEqual(begun.toSorted());
    for (const state of found) known.add(state);
  }
  expect(answered.broken).toBe(0);
  expect(answered.answer).toBeGreaterThan(STOPS * 10);
  console.log(`${STOPS} stops under 64 clients: ${answered.answer} answers, 0 broken, and no change without one`);
});

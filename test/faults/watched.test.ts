import { execFileSync } from "node:child_process";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { readiness, serve, signIn, users, type Server } from "./_file-server.ts";
import { directory, figure, tools } from "./_processes.ts";

const LANES = 8;
const SIGN_INS = figure(200, 5000);

/** Sign-ins at the same time, with a balancer that asks all the while. @returns what was answered otherwise than well */
async function underLoad(server: Server, meanwhile: () => Promise<void> = async () => {}): Promise<string[]> {
  const answers: string[] = [];
  let begun = 0;
  const over = new AbortController();
  const poll = async (): Promise<void> => {
    for (; !over.signal.aborted; await delay(5)) {
      const answer = await readiness(server);
      if (answer !== "ok") answers.push(`ready: ${answer}`);
    }
  };
  const write = async (): Promise<void> => {
    while (begun < SIGN_INS) {
      const answer = await signIn(server, begun++ % 40);
      if (answer !== true) answers.push(`sign-in: ${answer}`);
    }
  };
  const polling = poll();
  await Promise.all([...Array.from({ length: LANES }, write), meanwhile()]);
  over.abort();
  await polling;
  return answers;
}

describe("A server that is asked whether it is ready", () => {
  it("takes every change meanwhile, and is ready", async () => {
    const server = await serve(await directory());
    expect(await underLoad(server)).toEqual([]);
  });

  it("takes every change while db.json is touched", async () => {
    const place = await directory();
    const server = await serve(place);
    const touch = async (): Promise<void> => {
      for (let n = 0; n < 10; n++) await utimes(join(place, "store/db.json"), new Date(), new Date(n * 1000));
    };
    expect(await underLoad(server, touch)).toEqual([]);
    expect(await signIn(server, 1)).toBe(true);
  });

  it.skipIf(!tools.chattr)("is ready in a directory that can't be written, as it takes changes there", async () => {
    const place = await directory();
    const server = await serve(place);
    const store = join(place, "store");
    execFileSync("chattr", ["+i", store]);
    const undo = (): void => void execFileSync("chattr", ["-i", store]);
    onTestFinished(undo);
    expect(await underLoad(server)).toEqual([]);
    const before = await users(server);
    undo();
    server.child.kill("SIGTERM");
    expect(await server.ended).toEqual([0, null]);
    expect(server.stderr).not.toContain("503");
    expect(await users(await serve(place))).toEqual(before);
  });
});

it("An edit of db.json while a server runs is left alone, and named by the next start", async () => {
  const place = await directory();
  const path = join(place, "store/db.json");
  const first = await serve(place);
  expect(await signIn(first, 1)).toBe(true);
  first.child.kill("SIGTERM");
  await first.ended;

  const server = await serve(place);
  const edited = (await readFile(path, "utf8")).replace('"Person 1"', '"Somebody"');
  await writeFile(path, edited);
  expect(await signIn(server, 2)).toBe(true);
  expect(await readiness(server)).toBe("ok");
  server.child.kill("SIGTERM");
  expect(await server.ended).toEqual([0, null]);
  expect(server.stderr).toContain("the journal keeps everything");
  expect(await readFile(path, "utf8")).toBe(edited);
  await expect(serve(place)).rejects.toThrow("was changed since svc wrote it");
});

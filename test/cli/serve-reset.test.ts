import { join } from "node:path";
import { expect, it } from "vitest";
import demo from "../../fixtures/demo.json" with { type: "json" };
import { directory, useProcesses } from "../_bin.ts";
import { runCli, type CliOptions, type CliResult } from "../_cli.ts";
import { seedFile } from "../_seed-file.ts";
import { serveHere } from "../_serving.ts";

useProcesses();

const DEMO_USERS = demo.instances.reduce((sum, { users }) => sum + users.length, 0);
const store = (): string => join(directory, "db.json");

/** A store with so many users. */
async function makeStore(count: number): Promise<void> {
  const users = Array.from({ length: count }, (_, n) => ({ name: "Ada", email: `a${n}@acme.test` }));
  const seed = seedFile({ instances: [{ name: "Acme", subdomain: "acme", users }] });
  await (await serveHere(["--store", store(), "--seed", seed], { cwd: directory })).stop();
}

/** How many users a store has, as a start finds it. */
async function usersLeft(): Promise<number> {
  const { output, stop } = await serveHere(["--store", store()], { cwd: directory });
  await stop();
  const counted = await runCli(["store", "check", "--store", store(), "--json"], { cwd: directory });
  expect(output()).toHaveLength(1);
  return (JSON.parse(counted.stdout) as { tables: { users: number } }).tables.users;
}

const reset = (options: CliOptions, ...flags: string[]): Promise<CliResult> =>
  // It ends as soon as it has started.
  runCli(["serve", "--port", "0", "--store", store(), "--reset", ...flags], {
    cwd: directory,
    signal: "SIGTERM",
    ...options,
  });

it("svc serve --reset without a terminal, as in a unit, deletes no more users than the demo has", async () => {
  await makeStore(9);
  const { code, stderr } = await reset({});
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`To delete all records of ${store()}, with 9 users, add --yes.`),
  ]);
  expect(await usersLeft()).toBe(9);
  expect((await reset({}, "--yes")).code).toBe(0);
  expect(await usersLeft()).toBe(DEMO_USERS);
});

it("svc serve --reset asks on a terminal, and a no changes nothing", async () => {
  await makeStore(9);
  const asked: string[] = [];
  const answering = (answer: boolean): CliOptions => ({
    tty: true,
    confirm: (question) => (asked.push(question), answer),
  });
  expect(await reset(answering(false))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Nothing was changed."),
  });
  expect(await usersLeft()).toBe(9);
  expect((await reset(answering(true))).code).toBe(0);
  expect(asked).toEqual([1, 2].map(() => `Delete all records of ${store()}, with 9 users?`));
  expect(await usersLeft()).toBe(DEMO_USERS);
});

it("svc serve --reset asks nothing where there are no more users than the demo has", async () => {
  await makeStore(DEMO_USERS);
  expect((await reset({})).code).toBe(0);
});

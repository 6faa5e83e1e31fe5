import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { compare, startPeople, type People } from "./_people.ts";
import type { Unit } from "./_unit.ts";
import { startWatchers } from "./_watchers.ts";
import { startWhole, WHOLE_MS, type Whole } from "./_whole.ts";

/** What happens to servers besides: it may refuse requests, in a `disturb`. */
export type Event = (whole: Whole, people: People) => Promise<unknown>;

/**
 * Runs servers with everything that uses and watches them, and what happens one after the other. At the end every answer was
 * right or a refusal that says why, and each server has what was acknowledged.
 */
export async function runWhole(stores: readonly string[], events: readonly Event[]): Promise<Whole> {
  const whole = await startWhole(stores);
  const people = startPeople(whole);
  const watchers = await startWatchers(whole);
  const until = performance.now() + WHOLE_MS;
  for (const event of events) {
    await sleep(WHOLE_MS / (3 * events.length));
    await event(whole, people);
  }
  // It also lasts as long as nothing happens.
  await sleep(Math.max(WHOLE_MS / 6, until - performance.now()));
  await Promise.all([people.stop(), watchers.stop()]);
  // With what the servers say of them.
  const said = whole.units.map(({ log }) => log.filter(({ type, status }) => type === "log" || Number(status) >= 400));
  expect(whole.faults.slice(0, 20), JSON.stringify(said.map((lines) => lines.slice(-20)))).toEqual([]);
  for (const unit of whole.units) expect(await compare(whole, unit, people)).toEqual([]);
  // Its rules are quick: of a journal that any store may have there is an alert.
  const alerts = async () => (await watchers.prometheus?.firing())?.filter((name) => name !== "SvcJournalLong") ?? [];
  await expect.poll(alerts, { timeout: 60_000 }).toEqual([]);
  const { signIns, deletions } = people.acknowledged;
  // Else it shows nothing.
  expect(Math.min(signIns, deletions)).toBeGreaterThan(0);
  console.log(`${signIns} sign-ins and ${deletions} deletions acknowledged: ${JSON.stringify(whole.counts)}`);
  return whole;
}

/** As the kernel does when memory is short. */
export async function killed(whole: Whole, unit: Unit): Promise<void> {
  await whole.disturb(async () => {
    await unit.kill();
    await unit.ready();
  });
}

/** As an operator who has changed the configuration. */
export async function restarted(whole: Whole, unit: Unit): Promise<void> {
  await whole.disturb(async () => {
    expect(await unit.restart()).toBe(0);
    await unit.ready();
  });
}
